const masked = '[redacted]';
/** So many characters of the key in a row make a word look like it. */
const pieceChars = 8;
/** A shorter key is an ordinary word. */
const minKeyChars = 4;

/**
 * The first `maxChars` characters of what an endpoint sent, for people to read, without the key that it was sent.
 * Endpoints quote keys whole, cut, in another case, and encoded for a header or an address.
 */
export function excerptWithoutKey(text: string, key: string | null, maxChars: number): string {
  if (key === null || key.length < minKeyChars) return text.slice(0, maxChars);
  // The key may lie across the end.
  const shown = text.slice(0, maxChars + 8 * key.length);
  const pieces = piecesOf(key);
  return shown
    .replaceAll(key, masked)
    .replaceAll(encodeURIComponent(key), masked)
    .replace(/[\w\-.+/=%~]{4,}/g, (word) => (hasPiece(word.toLowerCase(), pieces) ? masked : word))
    .slice(0, maxChars);
}

/** The same without any of several values, the longest first: one may be part of another. */
export function excerptWithoutKeys(text: string, keys: readonly string[], maxChars: number): string {
  const longest = Math.max(0, ...keys.map((key) => key.length));
  const most = maxChars + 8 * longest;
  return keys
    .toSorted((a, b) => b.length - a.length)
    .reduce((shown, key) => excerptWithoutKey(shown, key, most), text.slice(0, most))
    .slice(0, maxChars);
}

function piecesOf(key: string): Map<number, Set<string>> {
  const forms = [key, encodeURIComponent(key), ...[0, 1, 2].map((before) => inBase64(key, before))];
  const pieces = new Map<number, Set<string>>();
  for (const form of forms) {
    const chars = Math.min(pieceChars, form.length);
    const known = pieces.get(chars) ?? new Set();
    for (let at = 0; at + chars <= form.length; at += 1) known.add(form.slice(at, at + chars).toLowerCase());
    pieces.set(chars, known);
  }
  return pieces;
}

/** The part that is the same whatever surrounds the key, if so many bytes (modulo 3) come before it. */
function inBase64(key: string, before: number): string {
  const whole = Buffer.from(' '.repeat(before) + key);
  const base64 = whole.subarray(0, whole.length - (whole.length % 3)).toString('base64');
  return base64.slice(before === 0 ? 0 : 4);
}

function hasPiece(word: string, pieces: Map<number, Set<string>>): boolean {
  for (const [chars, known] of pieces) {
    if (chars < minKeyChars) continue;
    for (let at = 0; at + chars <= word.length; at += 1) if (known.has(word.slice(at, at + chars))) return true;
  }
  return false;
}
