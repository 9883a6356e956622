import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import { goneWith } from '#libs/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

export interface McpLimits {
  keepAliveMs: number;
  /** An answer that is still open then is cut off. */
  endsAfterMs: number;
}

/** One request of a client of MCP. @param body absent: it has none */
export interface McpAsked {
  request: FastifyRequest;
  body: Record<string, unknown> | undefined;
  reply: FastifyReply;
}

/**
 * Answers one request by streamable HTTP: revision 2026-07-28, and earlier ones by `initialize`. It keeps no sessions, so
 * any replica answers any request.
 * @param makeServer made for this request alone; the signal aborts when the client leaves
 */
export async function answerMcp(
  { request, body, reply }: McpAsked,
  { keepAliveMs, endsAfterMs }: McpLimits,
  makeServer: (gone: AbortSignal) => McpServer | Promise<McpServer>,
): Promise<void> {
  const gone = goneWith(reply.raw);
  const ending = setTimeout(() => gone.abort(), endsAfterMs);
  const handler = createMcpHandler(async () => makeServer(gone.signal), { keepAliveMs });
  try {
    const parsed = body === undefined || body === null ? {} : { parsedBody: body };
    await send(reply, await handler.fetch(webRequest(request, body, gone.signal), parsed));
  } finally {
    clearTimeout(ending);
    await handler.close();
  }
}

function webRequest({ method, headers, url }: FastifyRequest, body: unknown, signal: AbortSignal): Request {
  const kept = Object.entries(headers).filter(([name]) => name !== 'content-length' && name !== 'authorization');
  return new Request(new URL(url, 'http://gatehouse'), {
    method,
    headers: kept.map(([name, value]): [string, string] => [name, String(value)]),
    signal,
    ...(method === 'POST' ? { body: JSON.stringify(body ?? null) } : {}),
  });
}

async function send(reply: FastifyReply, answer: Response): Promise<void> {
  void reply.status(answer.status).headers(Object.fromEntries(answer.headers));
  if (answer.body === null) await reply.send();
  else await reply.send(Readable.fromWeb(answer.body as ReadableStream));
}
