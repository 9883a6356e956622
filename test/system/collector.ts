import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as OTLP's JSON has it, with the service that sent it. */
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

/** Takes OTLP over HTTP, as an OpenTelemetry Collector does. */
export interface Collector {
  url: string;
  spansOf(traceId: string): CollectedSpan[];
  close(): Promise<void>;
}

interface ExportRequest {
  resourceSpans: {
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
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ExportRequest;
      for (const { resource, scopeSpans } of resourceSpans) {
        const service = valueOf(resource.attributes, 'service.name');
        for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
          const attributes = Object.fromEntries(
            span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
          );
          spans.push({ ...span, attributes, service });
        }
      }
      response.writeHead(request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spansOf: (traceId) => spans.filter((span) => span.traceId === traceId),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
