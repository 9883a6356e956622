import type { FastifyReply } from 'fastify';
import { PassThrough, type Readable } from 'node:stream';

export interface HeldAnswerSettings {
  ANSWER_BUFFER_BYTES: number;
  ANSWER_MIN_BYTES_PER_SECOND: number;
}

const checkEveryMs = 2_000;
/** So long a client may pause: a laptop that sleeps for a moment, a network that changes. */
const graceMs = 10_000;

/**
 * Takes an answer from the service as fast as that sends it, up to so many bytes, so that a client that reads slowly
 * does not hold the connection to the service. Of a longer answer the client has to read at a minimal rate, or its
 * connection is closed. Live streams pass as they are: their clients read all there is.
 */
export function heldAnswer(reply: FastifyReply, answer: Readable, settings: HeldAnswerSettings): Readable {
  if (String(reply.getHeader('content-type')).startsWith('text/event-stream')) return answer;
  const held = new PassThrough({ highWaterMark: settings.ANSWER_BUFFER_BYTES });
  const read = (): number => reply.raw.socket?.bytesWritten ?? 0;
  const began = { atMs: performance.now(), bytes: read() };
  const check = setInterval(() => {
    // The service is the slow one.
    if (held.readableLength < held.readableHighWaterMark) return;
    const overMs = performance.now() - began.atMs - graceMs;
    if (overMs > 0 && read() - began.bytes < (settings.ANSWER_MIN_BYTES_PER_SECOND * overMs) / 1_000) {
      reply.raw.destroy();
    }
  }, checkEveryMs);
  answer.once('end', () => clearInterval(check));
  answer.once('error', (error) => held.destroy(error));
  held.once('close', () => {
    clearInterval(check);
    answer.destroy();
  });
  return answer.pipe(held);
}
