export type HmacEncoding = 'hex' | 'base64';

/** Between the entries of a header that holds several; a header that came twice is joined with a comma. */
const separators = /[\s,;]+/;
/** An entry of another kind: a time, or the signature of another version. */
const named = /^[A-Za-z][\w-]*=[^=]/;
const standardVersion = /^v\d+[a-z]*$/;

/**
 * The digests in a header with one signature or several: `sha256=<hex>`, `v1=<hex>,v1=<hex>`, `t=1700000000,v1=<hex>`,
 * `<base64> <base64>`. Entries with another name are passed over. Anything else beside or behind a digest makes the
 * header no signature, and so it has none.
 */
export function signaturesIn(header: string, prefix: string, encoding: HmacEncoding): Buffer[] {
  const digests: Buffer[] = [];
  for (let at = entryAfter(header, 0); at < header.length;) {
    const isOurs = header.startsWith(prefix, at);
    const end = entryEnd(header, isOurs ? at + prefix.length : at);
    const digest = isOurs ? decodeSignature(header.slice(at + prefix.length, end), encoding) : undefined;
    if (digest) digests.push(digest);
    else if ((isOurs && prefix !== '') || !named.test(header.slice(at, end))) return [];
    at = entryAfter(header, end);
  }
  return digests;
}

/** As `signaturesIn`, of `webhook-signature`: `v1,<base64>`, several in any order, beside those of other versions. */
export function standardSignaturesIn(header: string): Buffer[] {
  const parts = header.split(separators).filter((part) => part !== '');
  const digests: Buffer[] = [];
  for (let at = 0; at < parts.length; at += 2) {
    const [version = '', text] = parts.slice(at, at + 2);
    if (!standardVersion.test(version) || text === undefined) return [];
    if (version !== 'v1') continue;
    const digest = decodeSignature(text, 'base64');
    if (!digest) return [];
    digests.push(digest);
  }
  return digests;
}

/** Node decodes leniently (it stops at the first wrong character), so the text has to be what its digest is written as. */
function decodeSignature(text: string, encoding: HmacEncoding): Buffer | undefined {
  if (text === '' || text.length > 1_024) return undefined;
  const digest = Buffer.from(text, encoding);
  const written = encoding === 'hex' ? text.toLowerCase() : standardBase64(text);
  return digest.toString(encoding) === written ? digest : undefined;
}

/** Padded, and with the alphabet that is not for URLs. */
function standardBase64(text: string): string {
  const same = text.replaceAll('-', '+').replaceAll('_', '/');
  return text.endsWith('=') ? same : same.padEnd(Math.ceil(same.length / 4) * 4, '=');
}

function entryAfter(header: string, from: number): number {
  let at = from;
  while (at < header.length && separators.test(header[at] ?? '')) at += 1;
  return at;
}

function entryEnd(header: string, from: number): number {
  let at = from;
  while (at < header.length && !separators.test(header[at] ?? '')) at += 1;
  return at;
}
