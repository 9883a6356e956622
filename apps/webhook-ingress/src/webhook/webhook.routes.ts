import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type EndpointsService } from '../endpoints/endpoints.service.js';
import type { RefusalLog } from '../refusals/refusal.repository.js';
import { RateLimiter } from './rate-limiter.js';
import { readBody } from './read-body.js';
import { Refused, unknownPath } from './refused.js';
import type { Answer, Incoming } from './incoming.js';
import type { WebhookService } from './webhook.service.js';

export interface WebhookRouteSettings {
  endpointRatePerSecond: number;
  addressRatePerSecond: number;
  unknownTokenRatePerMinute: number;
}

export interface WebhookParts {
  endpoints: EndpointsService;
  webhooks: WebhookService;
  refusals: RefusalLog;
}

const prefix = '/api/v1/webhooks/';
/** How long the rest of a body that is too large is waited for. */
const lingerMs = 1_000;
const logger = new Logger('webhook');
const contentTypes = new WeakMap<IncomingMessage, string | undefined>();

/**
 * The public endpoint, straight on Fastify: Nest's pipes and body parsers would cost a third of the throughput, and
 * would parse the body before its signature is checked on the raw bytes.
 */
export function webhookRoutes(fastify: FastifyInstance, parts: WebhookParts, settings: WebhookRouteSettings): void {
  const limits = {
    endpoint: new RateLimiter(settings.endpointRatePerSecond, 1_000),
    address: new RateLimiter(settings.addressRatePerSecond, 1_000),
    unknown: new RateLimiter(settings.unknownTokenRatePerMinute, 60_000),
  };
  fastify.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    // Providers send what they like; Fastify would answer 415 to a type it cannot read.
    scope.addHook('onRequest', (request, _reply, next) => {
      contentTypes.set(request.raw, request.headers['content-type']);
      delete request.headers['content-type'];
      next();
    });
    // The handler reads the stream itself, under the cap of the endpoint that the token names.
    scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null, undefined));
    scope.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: `${prefix}:token`,
      exposeHeadRoute: false,
      handler: (request, reply) =>
        handle(request as FastifyRequest<{ Params: { token: string } }>, reply, parts, limits),
    });
    scope.all(`${prefix}*`, (_request, reply) => refuse(reply, unknownPath));
    done();
  });
}

async function handle(
  request: FastifyRequest<{ Params: { token: string } }>,
  reply: FastifyReply,
  parts: WebhookParts,
  limits: { endpoint: RateLimiter; address: RateLimiter; unknown: RateLimiter },
): Promise<FastifyReply> {
  const { token } = request.params;
  let subject: { endpoint: Parameters<RefusalLog['record']>[0]; incoming: Incoming } | null = null;
  try {
    const nowMs = Date.now();
    limits.address.take(request.ip, nowMs);
    const found = await parts.endpoints.find(token);
    if (found === 'retired') throw new Refused(410, 'token_retired', 'This webhook URL was retired: use the new one.');
    if (found === null) {
      limits.unknown.take(request.ip, nowMs);
      throw unknownPath;
    }
    const { endpoint } = found;
    limits.endpoint.take(endpoint.app_id, nowMs);
    requireMethod(request.method);
    const incoming: Incoming = {
      method: request.method === 'HEAD' ? 'GET' : request.method,
      url: request.url,
      token,
      headers: receivedHeaders(request),
      body: Buffer.alloc(0),
      remoteAddress: request.ip,
    };
    subject = { endpoint, incoming };
    if (request.method === 'POST') incoming.body = await readBody(request.raw, endpoint.max_body_bytes);
    return send(reply, await parts.webhooks.receive(endpoint, incoming));
  } catch (error) {
    if (!(error instanceof Refused)) {
      logger.error({ event: 'webhook.unavailable', error: error instanceof Error ? error.message : String(error) });
      return refuse(reply, new Refused(503, 'unavailable', 'Not stored: send again.', { 'retry-after': '2' }));
    }
    if (subject && error.status !== 429)
      parts.refusals.record(subject.endpoint, subject.incoming, error.code, bodyHash(subject.incoming));
    return error.status === 413 ? refuseEarly(request.raw, reply, error) : refuse(reply, error);
  }
}

function receivedHeaders(request: FastifyRequest): Incoming['headers'] {
  const contentType = contentTypes.get(request.raw);
  return contentType === undefined ? request.headers : { ...request.headers, 'content-type': contentType };
}

function requireMethod(method: string): void {
  if (method === 'POST' || method === 'GET' || method === 'HEAD') return;
  throw new Refused(405, 'method_not_allowed', 'Send POST.', { allow: 'POST' });
}

function bodyHash(incoming: Incoming): string {
  return createHash('sha256').update(incoming.body).digest('hex');
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  return reply.code(answer.status).headers(answer.headers).send(answer.body);
}

function refuse(reply: FastifyReply, refused: Refused): FastifyReply {
  return withHead(reply, refused).send(textOf(refused));
}

/**
 * Answers a request that is still being sent. A connection closed upon bytes under way is reset, and the sender may
 * never read why: it is closed once the rest has come, was given up, or has been waited for.
 */
function refuseEarly(request: IncomingMessage, reply: FastifyReply, refused: Refused): FastifyReply {
  const text = textOf(refused);
  const body = new PassThrough();
  body.write(text);
  const end = (): void => void body.end();
  setTimeout(end, lingerMs).unref();
  request.once('close', end).resume();
  return withHead(reply, refused).header('content-length', Buffer.byteLength(text)).send(body);
}

function withHead(reply: FastifyReply, refused: Refused): FastifyReply {
  return reply.code(refused.status).headers({ ...refused.headers, 'content-type': 'application/json' });
}

function textOf(refused: Refused): string {
  return JSON.stringify({ error: refused.code, message: refused.detail });
}
