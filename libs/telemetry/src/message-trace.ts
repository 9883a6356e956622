import { AsyncLocalStorage } from 'node:async_hooks';
import { eventIdOf, traceIdOf } from './trace-id.js';

/** The message being handled, which all its log lines and spans carry. */
export interface Message {
  /** It says the trace's id, and that says it. */
  eventId: string;
  organizationId: string;
}

interface Current extends Message {
  traceId: string;
  /** The current span, in the form of W3C Trace Context: 16 hexadecimal digits. */
  spanId: string;
}

let sampled = '00';

/** Whether a reported span can be found at the collector. */
export function traceIsSent(sent: boolean): void {
  sampled = sent ? '01' : '00';
}

const current = new AsyncLocalStorage<Current>();
const header = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

/**
 * The span of the webhook, known without being sent: a process that received no other span continues from it, so that a
 * message has one trace.
 */
export const rootSpanId = (traceId: string): string => traceId.slice(16);

/**
 * Handles a message: log lines of `work`, and of what it awaits, name it.
 * @param parent the `traceparent` of the caller; absent or from another message: the webhook itself
 */
export function inMessage<T>(message: Message, parent: string | undefined, work: () => T): T {
  const traceId = traceIdOf(message.eventId);
  if (traceId === null) return work();
  const [, ofTrace, asker] = header.exec(parent ?? '') ?? [];
  const spanId = asker !== undefined && ofTrace === traceId ? asker : rootSpanId(traceId);
  return current.run({ eventId: message.eventId, organizationId: message.organizationId, traceId, spanId }, work);
}

/** The message of one of our own `traceparent`s; null when it is not one. */
export function messageOf(traceparent: string | undefined, organizationId: string): Message | null {
  const traceId = header.exec(traceparent ?? '')?.[1];
  return traceId === undefined ? null : { eventId: eventIdOf(traceId), organizationId };
}

/** What a log line says about the message; undefined when none is being handled. */
export function traceFields(): { event_id: string; trace_id: string; organization_id: string } | undefined {
  const now = current.getStore();
  if (!now) return undefined;
  return { event_id: now.eventId, trace_id: now.traceId, organization_id: now.organizationId };
}

/** The header for a request to another service about the message. @param ofEvent only if it is this event's */
export function traceparent(ofEvent?: string): string | undefined {
  const now = current.getStore();
  if (!now || (ofEvent !== undefined && ofEvent !== now.eventId)) return undefined;
  return `00-${now.traceId}-${now.spanId}-${sampled}`;
}

/** The current span; undefined when no message is being handled. */
export const spanId = (): string | undefined => current.getStore()?.spanId;

/** Continues as another span of the same message. */
export function inChild<T>(id: string, work: () => T): T {
  const now = current.getStore();
  return now ? current.run({ ...now, spanId: id }, work) : work();
}
