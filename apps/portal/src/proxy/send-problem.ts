import { problemBody, sendRefusal, toProblem } from '#libs/service-kit';
import { Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

const logger = new Logger('http');

const webhooks = '/api/v1/webhooks/';

/**
 * Answers where Nest's filter does not apply, in Fastify's hooks and in the proxy: with problem+json, but a sender of
 * webhooks in the form in which the ingress refuses too, so that it reads one.
 */
export function sendProblem(reply: FastifyReply, error: unknown): FastifyReply {
  const problem = toProblem(error);
  if (problem.status >= 500) {
    logger.error({ event: 'http.error', url: reply.request.routeOptions.url, error: String(error) });
  }
  reply.status(problem.status).headers(problem.headers);
  if (reply.request.url.startsWith(webhooks)) {
    const { code, detail, limit } = problem;
    reply.header('content-type', 'application/json; charset=utf-8');
    return sendRefusal(reply, JSON.stringify({ error: code, message: detail, limit }));
  }
  reply.header('content-type', 'application/problem+json');
  return sendRefusal(reply, JSON.stringify(problemBody(problem, reply.request.id)));
}
