import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span in OTLP's JSON form, with the service that sent it. */
export interface CollectedSpan {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, unknown>;
}

/** Accepts OTLP over HTTP, like an OpenTelemetry Collector. */
export interface Collector {
  url: string;
  spansOf(traceId: string): CollectedSpan[];
  /** The names of a service's metrics. */
  metricsOf(service: string): Set<string>;
  close(): Promise<void>;
}

interface ExportRequest {
  resourceMetrics?: {
    resource: { attributes: KeyValue[] };
    scopeMetrics: { metrics: { name: string }[] }[];
  }[];
  resourceSpans?: {
    resource: { attributes: KeyValue[] };
    scopeSpans: { spans: (CollectedSpan & { attributes: KeyValue[] })[] }[];
  }[];
}
interface KeyValue {
  key: string;
  value: { stringValue?: string; intValue?: number };
}

const valueOf = (of: KeyValue[], name: string): string =>
  String(of.find(({ key }) => key === name)?.value.stringValue ?? '');

export async function openCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const metrics = new Map<string, Set<string>>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const { resourceSpans = [], resourceMetrics = [] } = JSON.parse(
        Buffer.concat(chunks).toString('utf8'),
      ) as ExportRequest;
      for (const { resource, scopeMetrics } of resourceMetrics) {
        const names = scopeMetrics.flatMap((scope) => scope.metrics).map(({ name }) => name);
        metrics.set(valueOf(resource.attributes, 'service.name'), new Set(names));
      }
      for (const { resource, scopeSpans } of resourceSpans) {
        const service = valueOf(resource.attributes, 'service.name');
        for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
          const attributes = Object.fromEntries(
            span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
          );
          spans.push({ ...span, attributes, service });
        }
      }
      response
        .writeHead(/^\/v1\/(traces|metrics)$/.test(request.url ?? '') ? 200 : 404, {
          'content-type': 'application/json',
        })
        .end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    metricsOf: (service) => metrics.get(service) ?? new Set(),
    spansOf: (traceId) => spans.filter((span) => span.traceId === traceId),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
