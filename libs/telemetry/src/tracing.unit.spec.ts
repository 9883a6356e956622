import { until } from '#libs/testing';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inMessage, inSpan, messageOf, recordSpan, startTracing, traceFields, traceparent } from './index.js';

const message = { eventId: 'evt_01a225a0348c58lilawvnu', organizationId: 'org_1' };
const traceId = '01a225a0348c00000001e3e6a82d864a';

interface Sent {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
}

let collector: Server;
let sent: Sent[];
let reported: string[];
let answer: number;

beforeEach(async () => {
  [sent, reported, answer] = [[], [], 200];
  collector = createServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += String(part)));
    request.once('end', () => {
      const { resourceSpans } = JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: Sent[] }[] }[] };
      sent.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)));
      response.writeHead(answer).end('{}');
    });
  });
  await once(collector.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => collector.close());

const start = (percent = 100): Promise<() => Promise<void>> => {
  const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, TRACES_PERCENT: percent };
  return startTracing('test', settings, (error) => reported.push(error));
};

describe('a message', () => {
  it('has its trace fields wherever it is handled, and nowhere else', async () => {
    const fields = { event_id: message.eventId, trace_id: traceId, organization_id: 'org_1' };
    await inMessage(message, undefined, async () => {
      await Promise.resolve();
      expect(traceFields()).toEqual(fields);
      expect(messageOf(traceparent(), 'org_1')).toEqual(message);
    });
    expect(traceFields()).toBeUndefined();
    expect(traceparent()).toBeUndefined();
    inMessage({ ...message, eventId: 'none' }, undefined, () => expect(traceFields()).toBeUndefined());
  });

  it('does not give its trace context to a call about another event', () => {
    inMessage(message, undefined, () => expect(traceparent(`evt_${'0'.repeat(32)}`)).toBeUndefined());
  });

  it.each(['', 'nonsense', `00-${'f'.repeat(32)}-${'e'.repeat(16)}-01`])(
    'continues from its webhook, given %j',
    (delivered) => {
      inMessage(message, delivered, () => expect(traceparent()).toBe(`00-${traceId}-${traceId.slice(16)}-00`));
    },
  );
});

describe('spans', () => {
  it('are sent as one tree, below the webhook', async () => {
    const end = await start();
    recordSpan('webhook', message.eventId, 5, {});
    let asked = '';
    await inMessage(message, undefined, () =>
      inSpan('job', 'consumer', {}, async () => {
        asked = traceparent() ?? '';
        await inSpan('call', 'client', {}, () => Promise.reject(new Error('no'))).catch(() => undefined);
      }),
    );
    await inMessage(message, asked, () => inSpan('next', 'consumer', {}, async () => undefined));
    await end();
    const idOf = (name: string): string | undefined => sent.find((span) => span.name === name)?.spanId;
    const tree = sent.map(({ name, parentSpanId }) => [name, parentSpanId || undefined]);
    expect(new Set(sent.map((span) => span.traceId))).toEqual(new Set([traceId]));
    expect(tree.sort()).toEqual([
      ['call', idOf('job')],
      ['job', idOf('webhook')],
      ['next', idOf('job')],
      ['webhook', undefined],
    ]);
  });

  it('are left out for messages that are not sampled', async () => {
    const end = await start(0);
    await inMessage(message, undefined, () => inSpan('job', 'consumer', {}, async () => undefined));
    await end();
    expect(sent).toEqual([]);
  });

  it('that a collector does not accept are reported as lost', async () => {
    answer = 400;
    const end = await start();
    const work = () => inMessage(message, undefined, () => inSpan('job', 'consumer', {}, async () => undefined));
    await work();
    await until('it is reported', () => reported.length > 0);
    await work();
    await end();
    expect(reported[0]).toMatch(/OTLPExporterError.*Bad Request/);
  });

  it('are not created while nobody receives them', async () => {
    await inMessage(message, undefined, () =>
      inSpan('job', 'consumer', {}, async () => expect(traceparent()).toMatch(/-00$/)),
    );
    expect(sent).toEqual([]);
  });
});
