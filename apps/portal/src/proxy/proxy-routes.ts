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

/** One origin for everything: webhooks and the parts of the management API go to the services that own them. */
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
    // Without these, Fastify would read text/plain as text, and a signature is over the bytes.
    scope.removeAllContentTypeParsers();
    // A type that Fastify cannot read is nothing to it: whether a body is welcome is for the service behind to say.
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

/** Smaller ones fit into one packet as they are. */
const compressedFromBytes = 1_024;

/** What is read, of which none has a secret: the size of a compressed answer tells something of what is in it. */
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
 * The headers as they came, but for the client's address: it is the portal's word alone, and what the client or a proxy
 * that is not trusted said of it is dropped. Else a webhook's headers are kept and shown as the provider's.
 */
function withClientAddress(request: FastifyRequest, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { forwarded: _forwarded, 'x-real-ip': _realIp, ...kept } = headers;
  return { ...kept, 'x-forwarded-for': request.ip };
}

/** Shows the ingress that a webhook was handed on by the portal. */
class PortalHop {
  token = '';

  constructor(private readonly tokens: ServiceTokens) {}

  /** Costs a look at a map but for once in a token's life. */
  async renew(): Promise<void> {
    const portal = { subject: 'service:portal', organizationId: '', projectId: '', scopes: [] };
    this.token = await this.tokens.mint('webhook-ingress', portal);
  }
}

/** The client's address, and one request id through all services. */
function withRequestId(request: FastifyRequest, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return { ...withClientAddress(request, headers), 'x-request-id': request.id };
}

function noAnswer(reply: FastifyReply, error: Error): void {
  logger.warn({ event: 'proxy.no_answer', url: reply.request.routeOptions.url, error: error.message });
  const detail = 'The service behind this path does not answer: try again.';
  sendProblem(reply, new Problem(503, 'service_unavailable', detail, [], { 'retry-after': '2' }));
}
