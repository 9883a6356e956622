import type { FastifyReply } from 'fastify';

/** For what is no page: a browser that shows it anyway runs nothing, loads nothing and sends nothing. */
const noPage = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

/**
 * Keeps a browser from doing more with an answer than to show it. A page brings a policy of its own.
 * @param ownCaching the answer's own `cache-control` holds, whatever it says
 */
export function protectFromBrowsers(reply: FastifyReply, ownCaching = false): void {
  reply.header('x-content-type-options', 'nosniff');
  reply.header('x-frame-options', 'DENY');
  // Links of a consent carry their state and code in the address.
  reply.header('referrer-policy', 'no-referrer');
  if (!reply.hasHeader('content-security-policy')) reply.header('content-security-policy', noPage);
  const caching = String(reply.getHeader('cache-control') ?? '');
  if (caching === '' || !(ownCaching || caching.includes('no-store'))) reply.header('cache-control', 'no-store');
}
