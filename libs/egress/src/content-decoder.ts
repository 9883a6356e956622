import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** A stream that takes the bytes received and gives those of the content. */
export type ContentDecoder = ReturnType<typeof createGunzip> | ReturnType<typeof createBrotliDecompress>;

// A truncated response still yields what arrived, as in browsers; HTTP's framing detects the truncation.
const ZLIB = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH };

/**
 * Whether `contentDecoder` can decode this Content-Encoding. Stacked encodings are refused: their only use is a bomb.
 */
export function isDecodable(encoding: string | string[] | undefined): encoding is string {
  return typeof encoding === 'string' && /^(x-)?gzip$|^deflate$|^br$/i.test(encoding.trim());
}

/** `firstByte` distinguishes the two formats that servers send as `deflate`: zlib (RFC 1950) and raw (RFC 1951). */
export function contentDecoder(encoding: string, firstByte: number): ContentDecoder {
  const name = encoding.trim().toLowerCase();
  if (name === 'br') return createBrotliDecompress(BROTLI);
  if (name !== 'deflate') return createGunzip(ZLIB);
  return (firstByte & 0x0f) === 8 ? createInflate(ZLIB) : createInflateRaw(ZLIB);
}
