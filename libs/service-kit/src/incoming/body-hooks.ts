import { NotFoundException } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../problem.js';
import { sendContinue } from './unread-body.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route's handler reads the body, and calls `sendContinue` before. */
    readsBody?: boolean;
    /** The longest body of this route. Absent: as all of the service. */
    bodyLimit?: number;
  }
}

/** What happens to a body before Fastify parses it. */
export function hookBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    if (route.config?.bodyLimit !== undefined) route.bodyLimit = route.config.bodyLimit;
  });
  fastify.addHook('preParsing', refuseUnknownPath);
  fastify.addHook('preParsing', refuseCompressed);
  fastify.addHook('preParsing', letBodyCome);
  fastify.addHook('preParsing', forgetTypeOfNothing);
}

/** Its body is for nobody, and whoever waits for `100 Continue` need not send it. */
async function refuseUnknownPath({ is404, headers }: FastifyRequest): Promise<void> {
  if (is404 && !isEmpty(headers)) throw new NotFoundException();
}

/** A route that reads bodies itself says so in its `config`, and lets them come itself. */
async function letBodyCome(request: FastifyRequest): Promise<void> {
  if (!request.routeOptions.config.readsBody) sendContinue(request.raw);
}

/**
 * Many clients send `Content-Type: application/json` with every request, even a DELETE without a body, and Fastify
 * would refuse an empty body as JSON. A route states itself what it needs of a body. Runs after `onRequest`, where the
 * portal sets aside the content type of what it forwards.
 */
async function forgetTypeOfNothing({ headers }: FastifyRequest): Promise<void> {
  if (isEmpty(headers)) delete headers['content-type'];
}

/** Only webhooks come compressed, because their senders are not ours to choose. A route that forwards bodies is exempt. */
async function refuseCompressed({ headers, routeOptions }: FastifyRequest): Promise<void> {
  const coding = headers['content-encoding'];
  if (coding === undefined || isEmpty(headers) || routeOptions.config.readsBody) return;
  if (/^[\s,]*(?:identity[\s,]*)*$/i.test(coding)) return;
  const detail = `A body with Content-Encoding ${coding.trim().slice(0, 40)} is not read here: send it as it is.`;
  throw new Problem(415, 'unsupported_encoding', detail, [], { 'accept-encoding': 'identity' });
}

function isEmpty(headers: FastifyRequest['headers']): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}
