/** The head of a webhook request that may be handed on as it is. */
export interface PlainHead {
  /** Where the request line ends, behind its CRLF: what the portal adds goes there. */
  lineEnd: number;
  /** Where the body begins. */
  end: number;
  bodyBytes: number;
}

/** As Node's server allows. */
const maxHeadBytes = 16_384;
const headEnd = Buffer.from('\r\n\r\n');
const requestLine = /^POST \/api\/v1\/webhooks\/[\w.~-]+(?:\?[!-~]*)? HTTP\/1\.1\r\n/;
/** A field whose value is visible text, with the CRLF that ends it (RFC 9112, 5). */
const field = /([\w!#$%&'*+.^`|~-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)\r\n/y;
/**
 * Fields that change how the message is read, that are about one connection, or that only the portal may send. Of such
 * a request the portal's server makes a new one.
 */
const notPlain =
  /^(?:expect|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|forwarded|x-forwarded-for|x-real-ip|x-gatehouse-.*)$/i;

/**
 * Reads the head of a request only where no two parsers can understand it differently.
 * @returns null for everything else: another method or path, a head that has not arrived, or an unusual one
 */
export function plainHead(bytes: Buffer): PlainHead | null {
  const at = bytes.subarray(0, maxHeadBytes).indexOf(headEnd);
  if (at < 0) return null;
  const head = bytes.toString('latin1', 0, at + 2);
  const line = requestLine.exec(head)?.[0].length;
  if (line === undefined) return null;
  let bodyBytes: number | null = null;
  field.lastIndex = line;
  while (field.lastIndex < head.length) {
    const found = field.exec(head);
    if (!found) return null;
    const [, name = '', value = ''] = found;
    if (notPlain.test(name)) return null;
    if (name.length !== 14 || name.toLowerCase() !== 'content-length') continue;
    if (bodyBytes !== null || !/^\d{1,10}$/.test(value)) return null;
    bodyBytes = Number(value);
  }
  return bodyBytes === null ? null : { lineEnd: line, end: at + headEnd.length, bodyBytes };
}

/** Reads the head of an answer of the ingress, which always says how long its body is. */
export function answerHead(bytes: Buffer): { end: number; bodyBytes: number; closes: boolean } | null {
  const at = bytes.indexOf(headEnd);
  if (at < 0) return null;
  const head = bytes.toString('latin1', 0, at + 2);
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1];
  // Without a length, the answer ends with its connection.
  const bodyBytes = length === undefined ? Number.POSITIVE_INFINITY : Number(length);
  return { end: at + headEnd.length, bodyBytes, closes: /\r\nconnection: close\r\n/i.test(head) };
}
