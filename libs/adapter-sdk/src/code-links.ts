/** A browser runs or shows what such an address contains, or opens it from its own machine. */
const codeSchemes = new Set(
  'javascript vbscript livescript data file blob filesystem view-source jar mhtml'.split(' ').map((name) => `${name}:`),
);
const longestScheme = 40;

/** Where an address begins: a link or a definition in Markdown, an autolink or an element, an attribute. */
const marker = /\]\(|\]:|<|\b(?:href|src|action|formaction)\s*=/gi;
/** One character as renderers read it: a character reference, one behind a backslash, or itself. */
const character =
  /&#(?:x0*([0-9a-f]{1,6})|0*([0-9]{1,7}))(?![0-9a-f]);?|&(colon|tab|newline|nbsp);?|\\([!-/:-@[-`{-~])|([^])/iuy;
const named: Record<string, string> = { colon: ':', tab: '\t', newline: '\n', nbsp: '\u00a0' };
/** The URL parser leaves these out, wherever they are; and those that nobody sees are cleaned away. */
const leftOut = /[\p{Cc}\p{Cf}]/u;
const beforeAddress = /[\s<>"'`]/;
const picture = /\s*image\/(?:png|jpe?g|gif|webp|avif|bmp)[;,]/iy;

/** A place of a text from where an address follows that runs or contains code. */
export interface CodeLink {
  /** The mark that makes it an address: `](`, `]:`, `<` or `href=`. */
  start: number;
  end: number;
  /** It contains a picture without code, which a page may show. */
  isPicture: boolean;
}

/**
 * Whether an address runs or contains code, or opens a local file, for whoever follows it. Decided by the parsed URL:
 * the parser reads `java\tscript:` as browsers do.
 */
export function runsCode(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && codeSchemes.has(url.protocol);
}

/** The links of a Markdown or HTML text whose address runs code, however their scheme is spelt. Linear in the text. */
export function* codeLinksIn(text: string): Generator<CodeLink> {
  let last: Scheme | null = null;
  for (const { 0: mark, index: start } of text.matchAll(marker)) {
    const end = start + mark.length;
    // Marks in a row lead to one address, which is read once.
    if (last === null || end > last.from) last = schemeAt(text, end);
    if (last.scheme === '' || !runsCode(`${last.scheme}x`)) continue;
    picture.lastIndex = last.end;
    yield { start, end, isPicture: last.scheme === 'data:' && picture.test(text) };
  }
}

interface Scheme {
  /** With its colon; empty: there is none. */
  scheme: string;
  /** Where it begins, and where the rest of the address does. */
  from: number;
  end: number;
}

function schemeAt(text: string, start: number): Scheme {
  let [scheme, from] = ['', start];
  character.lastIndex = start;
  while (scheme.length < longestScheme) {
    const at = character.lastIndex;
    const found = character.exec(text);
    if (!found) break;
    const one = readAs(found);
    if (leftOut.test(one)) continue;
    if (scheme === '') {
      from = at;
      if (beforeAddress.test(one)) continue;
    }
    if (one === ':') return { scheme: `${scheme}:`, from, end: character.lastIndex };
    if (!/[a-z0-9+.-]/i.test(one)) break;
    scheme += one.toLowerCase();
  }
  return { scheme: '', from, end: from };
}

function readAs([whole, hex, decimal, name, escaped]: RegExpExecArray): string {
  if (escaped !== undefined) return escaped;
  if (name !== undefined) return named[name.toLowerCase()] ?? whole;
  const code = hex !== undefined ? Number.parseInt(hex, 16) : decimal !== undefined ? Number(decimal) : null;
  if (code === null || code > 0x10ffff) return whole;
  return String.fromCodePoint(code);
}
