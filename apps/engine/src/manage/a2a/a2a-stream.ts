import { EventStream, type EventStreamLimits } from '#libs/service-kit';
import type { FastifyReply } from 'fastify';

interface Shown<T> {
  /** One update, as a frame of server-sent events. */
  frame: (update: T) => string;
  /** An error after the first update: the status has been sent. */
  failure: (error: unknown) => string;
}

/** Sends updates while they come. @throws what the first one throws, so that it is answered as any call */
export async function sendUpdates<T>(
  reply: FastifyReply,
  updates: AsyncGenerator<T, void>,
  { frame, failure }: Shown<T>,
  limits: EventStreamLimits,
  gone: AbortController,
): Promise<void> {
  const first = await updates.next();
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  const stream = new EventStream(reply.raw, limits, () => gone.abort());
  try {
    for (let next = first; !next.done; next = await updates.next()) stream.write(frame(next.value));
  } catch (error) {
    stream.write(failure(error));
  }
  stream.end();
}
