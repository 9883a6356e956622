import { until } from '#libs/testing';
import type { InstalledApp } from './api.js';
import { type CollectedSpan, type Collector, openCollector } from './collector.js';
import { openSink, type Sink } from './sink.js';
import { startSystem, type System } from './system.js';
import { hmac, post } from './webhook.js';

/** The services that one message through an adapter involves; the vault only while none of its answers are cached. */
const touched = ['webhook-ingress', 'adapter-gateway', 'adapters', 'router', 'engine'];
const secret = 'a secret that both ends know';
const spanBelow = [
  ['inbound.parse', 'webhook'],
  ['message.route', 'inbound.parse'],
  ['turn.run', 'message.route'],
  ['model', 'turn.run'],
  ['delivery.send', 'turn.run'],
  ['delivery', 'delivery.send'],
  ['adapter /deliver', 'delivery'],
  ['POST /generic/deliver', 'adapter /deliver'],
  ['POST /generic/parse-inbound', 'adapter /parse-inbound'],
] as const;

describe('one message', () => {
  let collector: Collector;
  let sink: Sink;
  let system: System;
  let eventId: string;
  let spans: CollectedSpan[];
  const traceId = (): string =>
    eventId.slice(4, 16) + Number.parseInt(eventId.slice(16), 36).toString(16).padStart(20, '0');

  beforeAll(async () => {
    [collector, sink] = await Promise.all([openCollector(), openSink()]);
    system = await startSystem({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      METRICS_EXPORT_MS: '500',
      LOG_LEVEL: 'debug',
    });
    const url = `${system.origin('adapters')}/generic`;
    const { id: adapter_id } = await system.api<{ id: string }>('POST', '/api/v1/adapters', { url });
    const credential_id = await system.credential({ signing_secret: secret });
    const app = await system.api<InstalledApp>('POST', '/api/v1/apps', {
      name: 'g',
      kind: 'adapter',
      adapter_id,
      credential_id,
    });
    await system.api('PUT', `/api/v1/channels/${app.id}`, { unknown_senders: 'open' });
    await until('the ingress knows the App', async () => (await post(app.webhook_url, '')).status !== 404);
    const body = JSON.stringify({ sender: 'ada', message: 'hello', id: '1', reply_to: `${sink.url}/replies` });
    const ofStranger = '00-ffffffffffffffffffffffffffffffff-eeeeeeeeeeeeeeee-01';
    const headers = { 'x-signature-256': hmac(secret, body), traceparent: ofStranger };
    eventId = (await post(app.webhook_url, body, headers)).id;
    await system.reached(eventId, 'delivery', 'delivered');
    spans = await until('all services have sent their spans', () => {
      const sent = collector.spansOf(traceId());
      const services = new Set(sent.map(({ service }) => service));
      const ids = new Set(sent.map(({ spanId }) => spanId));
      const whole = sent.every(({ parentSpanId }) => !parentSpanId || ids.has(parentSpanId));
      const names = new Set(sent.map(({ name }) => name));
      const complete =
        spanBelow.every(([name]) => names.has(name)) && touched.every((service) => services.has(service));
      return whole && complete ? sent : null;
    });
  });
  afterAll(async () => {
    await system?.stop();
    await Promise.all([collector?.close(), sink?.close()]);
  });

  const named = (name: string) => (span: CollectedSpan) => span.name === name;
  const span = (name: string): CollectedSpan => {
    const found = spans.find(named(name));
    if (!found) throw new Error(`no span ${name} in ${spans.map((one) => one.name).join(', ')}`);
    return found;
  };
  const parentOf = ({ parentSpanId }: CollectedSpan): CollectedSpan | undefined =>
    spans.find(({ spanId }) => spanId === parentSpanId);

  it('is one trace, whose id is the one of its event, each span below another and all below the webhook', () => {
    const roots = spans.filter(({ parentSpanId }) => !parentSpanId);
    expect(roots.map(({ name, service }) => ({ name, service }))).toEqual([
      { name: 'webhook', service: 'webhook-ingress' },
    ]);
    expect(spans.filter((one) => one.parentSpanId && !parentOf(one)).map(({ name }) => name)).toEqual([]);
    expect(collector.spansOf('f'.repeat(32))).toEqual([]);
  });

  it.each(spanBelow)('continues with %s below %s', (name, above) => {
    const names: string[] = [];
    for (let one = parentOf(span(name)); one; one = parentOf(one)) names.push(one.name);
    expect(names).toContain(above);
    expect(span(name).attributes).toMatchObject({ 'gatehouse.event_id': eventId });
  });

  it('is named by each log line of each service that it touched', async () => {
    const lines = system
      .logs()
      .split('\n')
      .filter((line) => line.includes(eventId) && line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    for (const line of lines) {
      expect(line).toMatchObject({
        event_id: eventId,
        trace_id: traceId(),
        organization_id: expect.stringMatching(/^org_/),
      });
    }
    const services = new Set(lines.map((line) => line['service']));
    expect([...services]).toEqual(expect.arrayContaining(touched));
    const events = new Set(lines.map((line) => line['event']));
    expect([...events]).toEqual(expect.arrayContaining(['webhook.accepted', 'job.handled', 'adapter.call']));
  });

  it('reveals its trace to nobody outside', () => {
    expect(sink.arrivals.length).toBeGreaterThan(0);
    for (const { headers } of sink.arrivals) expect(headers).not.toHaveProperty('traceparent');
  });

  it.each([...touched, 'credential-vault', 'mcp-registry', 'portal'])(
    'is counted by %s, which sends its metrics',
    async (service) => {
      const counted = service === 'adapters' ? 'gatehouse_adapter_call_seconds' : 'gatehouse_http_request_seconds';
      await until('they were sent', () => collector.metricsOf(service).has(counted));
      expect(collector.metricsOf(service)).toContain('nodejs_eventloop_lag_seconds');
    },
  );
});
