import { portalHopHeader } from '#libs/contracts';
import { Problem, ServiceTokens } from '#libs/service-kit';
import compress from '@fastify/compress';
import httpProxy from '@fastify/http-proxy';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isWebhook, upstreams, type UpstreamUrls } from './route-table.js';
import { sendProblem } from './send-problem.js';

export interface ProxySettings extends UpstreamUrls {
  UPSTREAM_CONNECTIONS: number;
  UPSTREAM_TIMEOUT_MS: number;
}

const connectTimeoutMs = 2_000;
const logger = new Logger('proxy');

/** Serves everything from one origin: webhooks and the management API are proxied to the services that own them. */
export function proxyRoutes(app: NestFastifyApplication, settings: ProxySettings): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const hop = new PortalHop(app.get(ServiceTokens, { strict: false }));
  fastify.addHook('onRequest', async (request) => {
    if (isWebhook(request.routeOptions.url ?? '')) await hop.renew();
  });
  proxy(fastify, '/api/v1/webhooks', settings.INGRESS_URL, settings, (request, headers) => ({
    ...withClientAddress(request, headers),
    [portalHopHeader]: hop.token,
  }));
  for (const { urlSetting, resources } of upstreams) {
    for (const resource of resources) {
      proxy(fastify, `/api/v1/${resource}`, settings[urlSetting], settings, withRequestId);
    }
  }
}

type RewriteHeaders = (request: FastifyRequest, headers: IncomingHttpHeaders) => IncomingHttpHeaders;

function proxy(
  fastify: FastifyInstance,
  prefix: string,
  upstream: string,
  settings: ProxySettings,
  rewrite: RewriteHeaders,
): void {
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
      undici: {
        connections: settings.UPSTREAM_CONNECTIONS,
        headersTimeout: settings.UPSTREAM_TIMEOUT_MS,
        bodyTimeout: settings.UPSTREAM_TIMEOUT_MS,
        connect: { timeout: connectTimeoutMs },
      },
      replyOptions: {
        rewriteRequestHeaders: (request, headers) =>
          rewrite(request as FastifyRequest, withContentType(request as FastifyRequest, headers)),
        onResponse: (request, reply, { stream }) =>
          isWorthCompressing(request, reply as FastifyReply)
            ? (reply as FastifyReply).compress(stream)
            : (reply as FastifyReply).send(stream),
        onError: (reply, { error }) => noAnswer(reply as FastifyReply, error),
      },
    });
  });
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
  return type === undefined ? headers : { ...headers, 'content-type': type };
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
