import type { FastifyReply } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

/** The rest of a body that is no longer than this is read anyway, and its connection goes on. */
const shortBytes = 65_536;
/** A client that sends nothing for this long has stopped, or waits for the connection to be closed. */
const silenceMs = 1_000;
/** How long the rest of a refused body is read and dropped. */
const lingerMs = 30_000;

/** Requests with `Expect: 100-continue` that have not been asked to go on. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();

/** Remembers that the client waits for `100 Continue`. */
export function awaitContinue(request: IncomingMessage, response: ServerResponse): void {
  waiting.set(request, response);
}

/** Lets a client send its body, if it waits for that (RFC 9110, 10.1.1). Whoever reads a body calls it before. */
export function sendContinue(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
  waiting.delete(request);
}

/** The declared length of a body; null for one that is sent in chunks. */
export function declaredBytes({ headers }: IncomingMessage): number | null {
  if (headers['transfer-encoding'] !== undefined) return null;
  return Number(headers['content-length'] ?? 0);
}

/** Whether so much of the body may still come that the connection is not worth keeping. */
export function leavesUnread(request: IncomingMessage): boolean {
  if (request.complete) return false;
  const declared = declaredBytes(request);
  return declared === null || declared > shortBytes || (declared > 0 && waiting.has(request));
}

/**
 * The text of an answer to a request whose body is still coming; the answer ends when that has ended. Closing a
 * connection with bytes in flight resets it, and the client may never read why. So the rest is read and dropped, until
 * the client stops sending. The answer needs its `content-length` and `connection: close`.
 */
export function untilBodyEnds(request: IncomingMessage, text: string): Readable {
  const answer = new Readable({ read: () => undefined });
  answer.push(text);
  let ended = false;
  const end = (): void => {
    if (!ended) answer.push(null);
    ended = true;
    clearTimeout(silence);
    clearTimeout(linger);
  };
  const silence = setTimeout(end, silenceMs);
  const linger = setTimeout(end, lingerMs);
  answer.once('close', end);
  request.once('close', end);
  request.on('data', () => silence.refresh());
  request.resume();
  return answer;
}

/** Sends a refusal, and closes the connection when the body is still coming. */
export function sendRefusal(reply: FastifyReply, text: string): FastifyReply {
  const { raw } = reply.request;
  if (!leavesUnread(raw)) return reply.send(text);
  return reply
    .headers({ connection: 'close', 'content-length': Buffer.byteLength(text) })
    .send(untilBodyEnds(raw, text));
}
