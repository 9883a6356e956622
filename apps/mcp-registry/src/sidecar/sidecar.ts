import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { isInitializeRequest } from '@modelcontextprotocol/server';
import type { Logger } from 'pino';
import type { SidecarSettings } from './env.js';
import { SessionRefused, Sessions } from './sessions.js';

/**
 * Serves the operator's stdio servers as streamable HTTP (2025 protocols) at `/<name>/mcp`. Each session has its own
 * process. Closing the sidecar ends the processes.
 */
export function createSidecar(settings: SidecarSettings, log: Logger): FastifyInstance {
  const servers = settings.MCP_SIDECAR_FILE;
  const sessions = new Sessions(settings, log);
  const app = fastify({ bodyLimit: settings.MCP_SIDECAR_MESSAGE_BYTES, forceCloseConnections: true });
  app.addHook('preClose', () => sessions.close());
  app.get('/health/live', () => ({ status: 'ok' }));
  app.get('/health/ready', () => ({ status: 'ok' }));
  app.route<{ Params: { server: string } }>({
    method: ['GET', 'POST', 'DELETE'],
    url: '/:server/mcp',
    // Before a body is read.
    onRequest: async (request, reply) => {
      if (isToken(request.headers.authorization, settings.MCP_SIDECAR_TOKEN)) return;
      return refuse(reply.header('www-authenticate', 'Bearer'), 401, 'A valid bearer token is needed.');
    },
    handler: async (request, reply) => {
      const { server: name } = request.params;
      const server = servers.get(name);
      if (!server) return refuse(reply, 404, 'There is no server with this name.');
      const { 'mcp-session-id': id } = request.headers;
      if (id === undefined && !isInitializeRequest(request.body)) {
        return refuse(reply, 400, 'A session is required: start one with initialize.');
      }
      const session = id === undefined ? await sessions.start(name, server) : sessions.find(name, String(id));
      if (!session) return refuse(reply, 404, 'There is no such session.');
      if (session.isTooBusyFor(request.body)) {
        const limit = `${settings.MCP_SIDECAR_PENDING} requests in flight, the limit MCP_SIDECAR_PENDING`;
        return refuse(reply, 429, `This session has ${limit}. Send it again when one is answered, or raise the limit.`);
      }
      return relay(reply, await session.handle(webRequest(request), request.body));
    },
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    if (error instanceof SessionRefused) {
      return refuse(reply.header('retry-after', String(error.retryAfterSeconds)), 503, error.message);
    }
    const status = error.statusCode ?? 500;
    if (status >= 500) log.error({ event: 'sidecar.failed', error: error.name });
    return refuse(reply, status, status < 500 ? error.message : 'The sidecar failed.');
  });
  return app;
}

/** An error in the form that the protocol's own transport uses. */
function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.status(status).send({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null });
}

/** Compares digests, so that timing does not reveal the token's length. */
function isToken(authorization: string | undefined, token: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`));
}

/** Method and headers only: the body has already been read, within its limit, and is passed on parsed. */
function webRequest({ method, url, headers }: Pick<FastifyRequest, 'method' | 'url' | 'headers'>): Request {
  const pairs = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
  return new Request(new URL(url, 'http://sidecar'), { method, headers: pairs });
}

/**
 * Sends the transport's answer. Headers are flushed before there is a body, since an event stream may be silent for
 * long. The transport is informed at once when the client hangs up: until then it refuses to open that stream again.
 */
async function relay(reply: FastifyReply, answer: Response): Promise<FastifyReply> {
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(answer.status, Object.fromEntries(answer.headers));
  raw.flushHeaders();
  const reader = answer.body?.getReader();
  const gone = new AbortController();
  raw.once('close', () => {
    gone.abort();
    void reader?.cancel();
  });
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    if (!raw.write(read.value)) await once(raw, 'drain', { signal: gone.signal }).catch(() => undefined);
  }
  raw.end();
  return reply;
}
