import { EventStream, type EventStreamLimits } from '#libs/service-kit';
import { Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

interface Shown<T> {
  /** One update, as a frame of server-sent events. */
  frame: (update: T) => string;
  /** An error after the first update: the status has been sent. @throws what is no refusal */
  refusal: (error: unknown) => string;
  /** Of a fault of ours. */
  fault: () => string;
}

const logger = new Logger('a2a');
/** What callers are shown of a fault of ours: its own words are not for them. */
export const faultWords = 'Something went wrong here. What became of the task says GetTask.';

/** Sends updates while they come. @throws what the first one throws, so that it is answered as any call */
export async function sendUpdates<T>(
  reply: FastifyReply,
  updates: AsyncGenerator<T, void>,
  { frame, refusal, fault }: Shown<T>,
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
    stream.write(shownOf(error, refusal, fault));
  } finally {
    stream.end();
  }
}

function shownOf(error: unknown, refusal: (error: unknown) => string, fault: () => string): string {
  try {
    return refusal(error);
  } catch (unknown) {
    logger.error({ event: 'a2a.stream_failed', error: unknown instanceof Error ? unknown.stack : String(unknown) });
    return fault();
  }
}
