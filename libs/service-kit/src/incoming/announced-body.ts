import { announcedBytesHeader, bodyRoomHeader } from '#libs/contracts';
import type { FastifyInstance } from 'fastify';
import { Problem, problemBody } from '../problem.js';

/** @param maxBytes that a body may have */
export function bodyTooLarge(maxBytes: number): Problem {
  return new Problem(413, 'body_too_large', `The body is over the limit of ${maxBytes} bytes.`, [], {
    connection: 'close',
  });
}

/**
 * Answers the portal, which asks before it reads a long body: 413 now, or how long it may be. So a client learns from
 * its head that its body is too long, and no connection between services waits for its bytes.
 */
export function answerAnnouncements(fastify: FastifyInstance, bodyLimit: number): void {
  fastify.addHook('onRequest', async ({ headers, method, id }, reply) => {
    const announced = headers[announcedBytesHeader];
    if (announced === undefined || method !== 'OPTIONS') return;
    if (Number(announced) <= bodyLimit) return reply.status(200).header(bodyRoomHeader, bodyLimit).send('');
    const problem = bodyTooLarge(bodyLimit);
    return reply
      .status(problem.status)
      .headers({ ...problem.headers, [bodyRoomHeader]: 0, 'content-type': 'application/problem+json' })
      .send(JSON.stringify(problemBody(problem, id)));
  });
}
