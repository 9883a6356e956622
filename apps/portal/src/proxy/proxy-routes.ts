import { announcedBytesHeader, portalHopHeader } from '#libs/contracts';
import { type BodyLimits, type IncomingBodies, Problem, ServiceTokens } from '#libs/service-kit';
import compress from '@fastify/compress';
import httpProxy from '@fastify/http-proxy';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { forwardRequest, type Forwarding } from './forward-request.js';
import { heldAnswer, type HeldAnswerSettings } from './held-answer.js';
import { isWebhook, upstreams, type UpstreamUrls } from './route-table.js';
import { sendProblem } from './send-problem.js';
import { type ConnectionsSetting, UpstreamPlaces, type UpstreamPlacesSettings } from './upstream-places.js';

export interface ProxySettings extends UpstreamUrls, UpstreamPlacesSettings, HeldAnswerSettings, BodyLimits {
  UPSTREAM_TIMEOUT_MS: number;
}

const connectTimeoutMs = 2_000;
const logger = new Logger('proxy');

/** Of one path: which service answers it, and how requests reach that. */
interface Route {
  prefix: string;
  upstream: string;
  rewrite: RewriteHeaders;
  /** The setting that bounds its connections; absent: UPSTREAM_CONNECTIONS. */
  connections?: ConnectionsSetting;
}

type RewriteHeaders = (request: FastifyRequest, headers: IncomingHttpHeaders) => IncomingHttpHeaders;

/** Live streams hold their connections for as long as somebody watches, so they have connections of their own. */
const liveStreams = '/api/v1/events/stream';
const chatStreams = '/api/v1/web-chat/streams';

/** Serves everything from one origin: webhooks and the management API are proxied to the services that own them. */
export function proxyRoutes(app: NestFastifyApplication, settings: ProxySettings, bodies: IncomingBodies): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const hop = new PortalHop(app.get(ServiceTokens, { strict: false }));
  fastify.addHook('onRequest', async (request) => {
    if (isWebhook(request.routeOptions.url ?? '')) await hop.renew();
  });
  const rewriteWebhook: RewriteHeaders = (request, headers) => ({
    ...withClientAddress(request, headers),
    [portalHopHeader]: hop.token,
  });
  const webhooks = { prefix: '/api/v1/webhooks', upstream: settings.INGRESS_URL, rewrite: rewriteWebhook };
  proxy(fastify, webhooks, settings, bodies);
  const live = { prefix: liveStreams, upstream: settings.ROUTER_URL, rewrite: withRequestId };
  proxy(fastify, live, settings, bodies);
  const chats = { prefix: chatStreams, upstream: settings.GATEWAY_URL, rewrite: withRequestId };
  proxy(fastify, { ...chats, connections: 'WEB_CHAT_CONNECTIONS' }, settings, bodies);
  for (const { urlSetting, resources, protocols = [] } of upstreams) {
    const to = { upstream: settings[urlSetting], rewrite: withRequestId };
    for (const each of resources) proxy(fastify, { ...to, prefix: `/api/v1/${each}` }, settings, bodies);
    // Callers wait and follow there for minutes, and only the body of a request says so.
    for (const each of protocols)
      proxy(fastify, { ...to, prefix: `/${each}`, connections: 'TASK_CONNECTIONS' }, settings, bodies);
  }
}

function proxy(
  fastify: FastifyInstance,
  { prefix, upstream, rewrite, connections = 'UPSTREAM_CONNECTIONS' }: Route,
  settings: ProxySettings,
  bodies: IncomingBodies,
): void {
  const forwarding: Forwarding = { bodies, places: new UpstreamPlaces(settings, connections), targetOf };
  void fastify.register(async (scope) => {
    // Otherwise Fastify parses text/plain as text, but a signature covers the raw bytes.
    scope.removeAllContentTypeParsers();
    // Fastify rejects content types that it cannot parse. Which ones are accepted is up to the service behind.
    scope.addHook('onRequest', async (request) => hideContentType(request));
    scope.setErrorHandler((error, _request, reply) => sendProblem(reply, error));
    await scope.register(compress, { global: false, encodings: ['br', 'gzip'] });
    await scope.register(httpProxy, {
      prefix,
      rewritePrefix: prefix,
      upstream,
      disableRequestLogging: true,
      config: { readsBody: true },
      handler: (request, reply, dest, options) => forwardRequest(request, reply, dest, options, forwarding),
      undici: {
        connections: settings[connections],
        headersTimeout: settings.UPSTREAM_TIMEOUT_MS,
        bodyTimeout: settings.UPSTREAM_TIMEOUT_MS,
        connect: { timeout: connectTimeoutMs },
      },
      replyOptions: {
        rewriteRequestHeaders: (request, headers) =>
          rewrite(
            request as FastifyRequest,
            withContentType(request as FastifyRequest, endToEnd(request as FastifyRequest, headers)),
          ),
        rewriteHeaders: withoutHop,
        onResponse: (request, answering, { stream }) => {
          const reply = answering as FastifyReply;
          const held = heldAnswer(reply, stream, settings);
          return isWorthCompressing(request, reply) ? reply.compress(held) : reply.send(held);
        },
        onError: (reply, { error }) => noAnswer(reply as FastifyReply, error),
      },
    });
  });
}

/** A webhook's body counts against its token, another one against its caller's address only. */
function targetOf({ routeOptions, url, ip }: FastifyRequest): string {
  if (!isWebhook(routeOptions.url ?? '')) return ip;
  return url.split('?', 1)[0] ?? '';
}

/** Headers that are about the client's own connection, or that only the portal itself may send. */
const ownHeaders = [
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  announcedBytesHeader,
];

/**
 * Drops of an answer what is about the portal's connection to the service. Passed on, it would hold open the connection
 * of an HTTP/1.0 client, which reads until it ends.
 */
function withoutHop(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { connection: _connection, 'keep-alive': _keepAlive, trailer: _trailer, upgrade: _upgrade, ...kept } = headers;
  return kept;
}

/** The headers that go on to the service (RFC 9110, 7.6.1). Of a GET and a HEAD no body goes on, nor its length. */
function endToEnd({ method }: FastifyRequest, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const kept = { ...headers };
  for (const name of ownHeaders) delete kept[name];
  if (method === 'GET' || method === 'HEAD') delete kept['content-length'];
  return kept;
}

/** A smaller body fits into one packet uncompressed. */
const compressedFromBytes = 1_024;

/**
 * Only reads of JSON, which never contain a secret: the size of a compressed answer leaks something about its content.
 */
function isWorthCompressing({ method }: Pick<FastifyRequest, 'method'>, reply: FastifyReply): boolean {
  const bytes = Number(reply.getHeader('content-length') ?? Number.POSITIVE_INFINITY);
  return (
    method === 'GET' &&
    /^application\/json\b/.test(String(reply.getHeader('content-type'))) &&
    bytes >= compressedFromBytes
  );
}

const contentTypes = new WeakMap<IncomingMessage, string>();

function hideContentType({ raw }: FastifyRequest): void {
  const type = raw.headers['content-type'];
  if (type === undefined) return;
  contentTypes.set(raw, type);
  delete raw.headers['content-type'];
}

function withContentType({ raw }: FastifyRequest, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const type = contentTypes.get(raw);
  const { 'content-type': _guessed, ...others } = headers;
  return type === undefined ? others : { ...others, 'content-type': type };
}

/**
 * Replaces the client's address with the portal's own finding. What the client or an untrusted proxy claims is dropped.
 * All other headers stay as they came, because a webhook's are stored and shown as the provider's.
 */
function withClientAddress(request: FastifyRequest, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { forwarded: _forwarded, 'x-real-ip': _realIp, ...kept } = headers;
  return { ...kept, 'x-forwarded-for': request.ip };
}

/** Proves to the ingress that the portal forwarded a webhook. */
class PortalHop {
  token = '';

  constructor(private readonly tokens: ServiceTokens) {}

  /** Only a map lookup, except once in a token's lifetime. */
  async renew(): Promise<void> {
    const portal = { subject: 'service:portal', organizationId: '', projectId: '', scopes: [] };
    this.token = await this.tokens.mint('webhook-ingress', portal);
  }
}

/** Adds the client's address, and the request id that all services share. */
function withRequestId(request: FastifyRequest, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return { ...withClientAddress(request, headers), 'x-request-id': request.id };
}

function noAnswer(reply: FastifyReply, error: Error): void {
  logger.warn({ event: 'proxy.no_answer', url: reply.request.routeOptions.url, error: error.message });
  const detail = 'The service behind this path does not answer: try again.';
  sendProblem(reply, new Problem(503, 'service_unavailable', detail, [], { 'retry-after': '2' }));
}
