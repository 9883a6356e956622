/** Shorter runs may be a key, a digest or a token, which a model may need. */
const run =
  /(?:data:([\w.+-]+\/[\w.+-]+)[\w;=.-]*;base64,)?((?:[A-Za-z0-9+/_-]{512,}|(?:[A-Za-z0-9+/]{60,76}(?:\r?\n|\\r\\n|\\n)){8,}[A-Za-z0-9+/]*)={0,2})/g;

/** The first characters that the base64 of a format has. */
const formats = [
  ['iVBORw0KGg', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi', 'application/pdf'],
  ['UEsDB', 'application/zip'],
] as const;

/** Names base64 in a text by its type and size. A model cannot see it, and it is most of a result. */
export function withoutBinary(text: string): string {
  if (text.length < 512) return text;
  return text.replace(run, (found: string, type: string | undefined, data: string) => {
    if (type === undefined && !isMixed(data)) return found;
    const bare = data.replace(/\\r|\\n|\s|=/g, '');
    return named(type ?? formats.find(([start]) => bare.startsWith(start))?.[1] ?? 'binary', bare.length);
  });
}

/** As `withoutBinary`, in every text of a value; a Node buffer is binary too. */
export function valueWithoutBinary(value: unknown): unknown {
  if (typeof value === 'string') return withoutBinary(value);
  if (Array.isArray(value)) return value.map(valueWithoutBinary);
  if (typeof value !== 'object' || value === null) return value;
  const { type, data } = value as { type?: unknown; data?: unknown };
  if (type === 'Buffer' && Array.isArray(data)) return named('binary', Math.ceil((data.length * 4) / 3));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, valueWithoutBinary(each)]));
}

/** @param chars of its base64, without padding */
export const named = (type: string, chars: number): string => `[${type}, ${Math.floor((chars * 3) / 4)} bytes]`;

/** A long word of one kind of character is no base64. */
function isMixed(data: string): boolean {
  return /[A-Z]/.test(data) && /[a-z]/.test(data) && /\d/.test(data);
}
