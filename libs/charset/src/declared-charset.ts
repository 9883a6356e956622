/** A charset that bytes, or what came with them, name. */
export interface DeclaredCharset {
  label: string;
  /** Who says so, for a sentence. */
  by: string;
}

/** Bytes of a page in which its declaration is looked for. The standard says 1,024; some pages begin with their scripts. */
const headBytes = 65_536;

const byteOrderMarks: [string, number[]][] = [
  // Before that of UTF-16, with which it begins.
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** The encoding of the byte order mark, or of a page that begins with `<` in two bytes; null: neither. */
export function markedEncoding(bytes: Uint8Array): string | null {
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  if (marked) return marked[0];
  const [first, second, third, fourth] = bytes;
  if (first === 0x3c && second === 0 && third !== 0 && fourth === 0) return 'utf-16le';
  if (first === 0 && second === 0x3c && third === 0 && fourth !== 0) return 'utf-16be';
  return null;
}

/** What is declared, by rank: the header, then the page or document itself. */
export function declaredCharsets(bytes: Uint8Array, contentType: string): DeclaredCharset[] {
  const declared: DeclaredCharset[] = [];
  const header = parameter(contentType);
  if (header !== null) declared.push({ label: header, by: 'its Content-Type' });
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString('latin1');
  const isHtml = /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(contentType);
  if (/^\s*</.test(head) || isHtml) declared.push(...ofMarkup(head));
  const style = /^@charset "([^"]{1,40})";/.exec(head)?.[1];
  if (style !== undefined) declared.push({ label: style, by: 'its @charset' });
  return declared;
}

/** The parameter `charset` of a media type; null: it has none. */
function parameter(type: string): string | null {
  const found = /(?:^|[;\s])charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;,"']+))/i.exec(type);
  return found ? (found[1] ?? found[2] ?? found[3] ?? '').trim() || null : null;
}

function ofMarkup(head: string): DeclaredCharset[] {
  const declared: DeclaredCharset[] = [];
  const xml = /^\s*<\?xml\s[^<>]{0,200}?\bencoding\s*=\s*["']\s*([^"'<>]{1,40}?)\s*["']/i.exec(head)?.[1];
  if (xml !== undefined) declared.push({ label: xml, by: 'its XML declaration' });
  for (const [, attributes = ''] of withoutComments(head).matchAll(/<meta[\s/]([^<>]{1,1000})/gi)) {
    const label = ofMeta(attributes);
    if (label === null) continue;
    declared.push({ label, by: 'its <meta>' });
    break;
  }
  // These letters were read as single bytes, so they cannot be UTF-16 or UTF-32, whatever they say.
  return declared.map((each) => (/^utf-?(16|32)/i.test(each.label) ? { ...each, label: 'utf-8' } : each));
}

function ofMeta(text: string): string | null {
  const attributes = new Map<string, string>();
  for (const found of text.matchAll(/([^\s"'=/]{1,40})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'/]+))/g)) {
    const name = (found[1] ?? '').toLowerCase();
    if (!attributes.has(name)) attributes.set(name, found[2] ?? found[3] ?? found[4] ?? '');
  }
  const own = attributes.get('charset')?.trim();
  if (own) return own;
  const stands = attributes.get('http-equiv')?.trim().toLowerCase() === 'content-type';
  return stands ? parameter(attributes.get('content') ?? '') : null;
}

function withoutComments(head: string): string {
  const kept: string[] = [];
  let at = 0;
  for (let open = head.indexOf('<!--'); open >= 0; open = head.indexOf('<!--', at)) {
    kept.push(head.slice(at, open));
    const close = head.indexOf('-->', open + 4);
    if (close < 0) return kept.join('');
    at = close + 3;
  }
  return kept.join('') + head.slice(at);
}
