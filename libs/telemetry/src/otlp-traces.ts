import { SpanKind as Kinds, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { sayErrors } from './otlp-errors.js';
import { hrTime, resourceOf } from './otlp-terms.js';
import type { FinishedSpan, SpanKind } from './spans.js';

type Resource = ReadableSpan['resource'];

const kinds: Record<SpanKind, Kinds> = {
  server: Kinds.SERVER,
  client: Kinds.CLIENT,
  consumer: Kinds.CONSUMER,
  internal: Kinds.INTERNAL,
};
/** Spans that may wait to be sent; further ones are dropped, because nothing may wait for a collector. */
const maxQueueSize = 8_192;
const scheduledDelayMillis = 1_000;

interface Exporter {
  take(span: FinishedSpan, service: string): void;
  /** Resolves once the rest is sent. */
  close(): Promise<void>;
}

/**
 * OpenTelemetry's batches over HTTP; loaded only by `startTracing`. Its headers come from OTEL_EXPORTER_OTLP_HEADERS.
 */
export function openExporter(endpoint: string, say: (error: string) => void): Exporter {
  sayErrors(say);
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const batches = new BatchSpanProcessor({ exporter, maxQueueSize, scheduledDelayMillis });
  const resources = new Map<string, Resource>();
  const known = (service: string): Resource => {
    const resource = resources.get(service) ?? resourceOf(service);
    resources.set(service, resource);
    return resource;
  };
  return {
    take: (span, service) => batches.onEnd(readable(span, known(service))),
    // A collector that refuses the last spans does not keep a service from ending.
    close: () => batches.shutdown().catch((error: unknown) => say(String(error))),
  };
}

function readable(span: FinishedSpan, resource: Resource): ReadableSpan {
  const { traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, error } = span;
  const contextOf = (id: string) => ({ traceId, spanId: id, traceFlags: TraceFlags.SAMPLED });
  return {
    name,
    kind: kinds[kind],
    spanContext: () => contextOf(spanId),
    ...(parentSpanId === undefined ? {} : { parentSpanContext: { ...contextOf(parentSpanId), isRemote: true } }),
    startTime: hrTime(startMs),
    endTime: hrTime(endMs),
    duration: hrTime(endMs - startMs),
    status: error === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: error },
    attributes,
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: 'gatehouse' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}
