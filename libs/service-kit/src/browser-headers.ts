import type { FastifyReply } from 'fastify';

/** For answers that are not pages: a browser that shows one anyway runs nothing, loads nothing and sends nothing. */
const noPage = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

const always = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  // The addresses of consent links contain their state and code.
  'referrer-policy': 'no-referrer',
};

/** What every answer that is not a page carries. */
export const browserHeaders = { ...always, 'content-security-policy': noPage, 'cache-control': 'no-store' };

/**
 * Keeps a browser from doing more with an answer than showing it. A page has a policy of its own.
 * @param ownCaching keeps the answer's own `cache-control`
 */
export function protectFromBrowsers(reply: FastifyReply, ownCaching = false): void {
  reply.headers(always);
  if (!reply.hasHeader('content-security-policy')) reply.header('content-security-policy', noPage);
  const caching = String(reply.getHeader('cache-control') ?? '');
  if (caching === '' || !(ownCaching || caching.includes('no-store'))) reply.header('cache-control', 'no-store');
}
