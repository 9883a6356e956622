import { randomBytes } from 'node:crypto';
import { inChild, rootSpanId, spanId, traceFields, traceIsSent } from './message-trace.js';
import { traceIdOf } from './trace-id.js';

export type SpanKind = 'server' | 'client' | 'consumer' | 'internal';
export type Attributes = Record<string, string | number | boolean>;

/** A finished span. */
export interface FinishedSpan {
  traceId: string;
  spanId: string;
  /** Absent: the webhook itself. */
  parentSpanId?: string;
  name: string;
  kind: SpanKind;
  /** ms since the epoch. */
  startMs: number;
  endMs: number;
  attributes: Attributes;
  /** Absent: it succeeded. */
  error?: string;
}

type Recorder = (span: FinishedSpan) => void;
let recorder: Recorder | null = null;

export function recordWith(to: Recorder | null): void {
  recorder = to;
  traceIsSent(to !== null);
}

/** Whether spans are exported; if not, none is made. */
export const exportsTraces = (): boolean => recorder !== null;

/** Makes a span for a part of the handling of a message. Costs one comparison while spans are not exported. */
export async function inSpan<T>(
  name: string,
  kind: SpanKind,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  const fields = recorder ? traceFields() : undefined;
  if (!recorder || !fields) return work();
  const id = randomBytes(8).toString('hex');
  const parentSpanId = spanId() ?? rootSpanId(fields.trace_id);
  const startMs = clockMs();
  const end = (error?: unknown): void =>
    recorder?.({
      traceId: fields.trace_id,
      spanId: id,
      parentSpanId,
      name,
      kind,
      startMs,
      endMs: clockMs(),
      attributes: {
        ...attributes,
        'gatehouse.event_id': fields.event_id,
        'gatehouse.organization_id': fields.organization_id,
      },
      ...(error === undefined ? {} : { error: error instanceof Error ? error.name : 'error' }),
    });
  try {
    const result = await inChild(id, work);
    end();
    return result;
  } catch (error) {
    end(error);
    throw error;
  }
}

/** The message's root span, that of its webhook, recorded once its id is known. @param tookMs until now */
export function recordSpan(name: string, eventId: string, tookMs: number, attributes: Attributes): void {
  const traceId = recorder ? traceIdOf(eventId) : null;
  if (!recorder || traceId === null) return;
  const endMs = clockMs();
  const span = { traceId, spanId: rootSpanId(traceId), name, kind: 'server' as const, startMs: endMs - tookMs, endMs };
  recorder({ ...span, attributes: { ...attributes, 'gatehouse.event_id': eventId } });
}

/** Finer resolution than `Date.now()`. */
const clockMs = (): number => performance.timeOrigin + performance.now();
