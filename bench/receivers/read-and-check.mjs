import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The check that every receiver makes before it answers.
 * @param {string} secret
 * @param {Buffer} body
 * @param {unknown} header `sha256=<hex>`
 */
export function signed(secret, body, header) {
  if (typeof header !== 'string') return false;
  const given = Buffer.from(header.slice(7), 'hex');
  const wanted = createHmac('sha256', secret).update(body).digest();
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
