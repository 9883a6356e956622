import { problemBody, sendRefusal, toProblem } from '#libs/service-kit';
import { Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

const logger = new Logger('http');

/** Answers with problem+json where Nest's filter does not apply: in Fastify's hooks and in the proxy. */
export function sendProblem(reply: FastifyReply, error: unknown): FastifyReply {
  const problem = toProblem(error);
  if (problem.status >= 500) {
    logger.error({ event: 'http.error', url: reply.request.routeOptions.url, error: String(error) });
  }
  reply.status(problem.status).headers({ ...problem.headers, 'content-type': 'application/problem+json' });
  return sendRefusal(reply, JSON.stringify(problemBody(problem, reply.request.id)));
}
