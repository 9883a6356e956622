import { until } from '#libs/testing';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { startMetrics } from './index.js';

interface Metric {
  name: string;
  description: string;
  sum?: { dataPoints: Point[]; isMonotonic: boolean; aggregationTemporality: number };
  gauge?: { dataPoints: Point[] };
  histogram?: { dataPoints: Point[]; aggregationTemporality: number };
}
interface Point {
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  asDouble?: number;
  asInt?: number;
  count?: number;
  sum?: number;
  bucketCounts?: number[];
  explicitBounds?: number[];
  startTimeUnixNano: string;
  timeUnixNano: string;
}

let collector: Server;
let answer: number;
let sent: { service: string | undefined; path: string | undefined; metrics: Metric[] }[];
let registry: Registry;
let reported: string[];

beforeEach(async () => {
  [sent, reported, answer, registry] = [[], [], 200, new Registry()];
  collector = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += String(part)));
    request.once('end', () => {
      const [{ resource, scopeMetrics }] = JSON.parse(text).resourceMetrics;
      const [name] = resource.attributes;
      sent.push({ service: name.value.stringValue, path: request.url, metrics: scopeMetrics[0].metrics });
      response.writeHead(answer).end('{}');
    });
  });
  await once(collector.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => {
  collector.close();
  collector.closeAllConnections();
});

const start = (everyMs: number): Promise<() => Promise<void>> => {
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, METRICS_EXPORT_MS: everyMs };
  return startMetrics('test', registry, settings, (error) => reported.push(error));
};
const attributesOf = ({ attributes }: Point) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

describe('metrics', () => {
  it('are sent as they are counted, with their names and labels', async () => {
    registry.setDefaultLabels({ service: 'test' });
    const registers = [registry];
    new Counter({ name: 'done_total', help: 'What was done', labelNames: ['how'], registers }).inc({ how: 'well' }, 3);
    new Gauge({ name: 'waiting', help: 'What waits', registers }).set(2.5);
    const seconds = new Histogram({
      name: 'took_seconds',
      help: 'Time',
      labelNames: ['on'],
      buckets: [0.1, 1],
      registers,
    });
    for (const [on, took] of [
      ['a', 0.05],
      ['a', 0.5],
      ['a', 0.6],
      ['a', 7],
      ['b', 0.1],
    ] as const)
      seconds.observe({ on }, took);
    const end = await start(3_600_000);
    await end();
    expect(sent).toHaveLength(1);
    const [{ service, path, metrics } = { service: '', path: '', metrics: [] }] = sent;
    expect([service, path]).toEqual(['test', '/v1/metrics']);
    const named = (name: string): Metric | undefined => metrics.find((metric) => metric.name === name);
    const done = named('done_total');
    expect(done).toMatchObject({ description: 'What was done', sum: { isMonotonic: true, aggregationTemporality: 2 } });
    const [point] = done?.sum?.dataPoints ?? [];
    expect([point?.asDouble, point && attributesOf(point)]).toEqual([3, { how: 'well', service: 'test' }]);
    expect(Number(point?.startTimeUnixNano)).toBeLessThan(Number(point?.timeUnixNano));
    expect(named('waiting')?.gauge?.dataPoints.map(({ asDouble }) => asDouble)).toEqual([2.5]);
    const took = named('took_seconds')?.histogram?.dataPoints ?? [];
    expect(
      took.map((one) => [attributesOf(one)['on'], one.count, one.sum, one.explicitBounds, one.bucketCounts]),
    ).toEqual([
      ['a', 4, 8.15, [0.1, 1], [1, 2, 1]],
      ['b', 1, 0.1, [0.1, 1], [1, 0, 0]],
    ]);
  });

  it('are sent again and again', async () => {
    const counter = new Counter({ name: 'done_total', help: 'What was done', registers: [registry] });
    const end = await start(20);
    await until('they were sent', () => sent.length > 0);
    counter.inc(5);
    await until('what was counted since was sent', () => sent.at(-1)?.metrics[0]?.sum?.dataPoints[0]?.asDouble === 5);
    await end();
  });

  it('that nobody accepts are reported as lost, once, and do not keep a service from stopping', async () => {
    answer = 400;
    const end = await start(250);
    await until('they were sent often', () => sent.length > 3);
    await end();
    expect(reported).toEqual([expect.stringMatching(/metrics export failed.*Bad Request/)]);
  });

  it('wait to be scraped where no export is configured', async () => {
    const end = await start(0);
    await end();
    expect(sent).toEqual([]);
  });

  it('are refused where an export has no endpoint', async () => {
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: null, METRICS_EXPORT_MS: 1_000 };
    await expect(startMetrics('test', registry, settings, () => undefined)).rejects.toThrow(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
    );
  });
});
