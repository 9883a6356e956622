import type { FastifyReply } from 'fastify';
import { once } from 'node:events';

/**
 * Answers with what the transport gave. Its headers go out before there is a body, since an event stream may be silent for
 * long, and it is told at once when the client hangs up: until then it lets nobody open that stream again.
 */
export async function relay(reply: FastifyReply, answer: Response): Promise<FastifyReply> {
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
