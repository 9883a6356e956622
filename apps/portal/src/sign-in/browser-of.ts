import type { FastifyRequest } from 'fastify';
import type { Browser } from './started-session.repository.js';

/** The browser that a request comes from. */
export function browserOf({ ip, headers, id }: FastifyRequest): Browser {
  return { address: ip, userAgent: headers['user-agent'] ?? null, requestId: id };
}
