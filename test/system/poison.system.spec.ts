import { until } from '#libs/testing';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InstalledApp } from './api.js';
import { openPlainAdapter, type PlainAdapter } from './plain-adapter.js';
import { startSystem, type System } from './system.js';
import { post } from './webhook.js';

const neighbours = 6;
/**
 * One death beside others, one alone. A parse has a row to tell by only once it is enqueued again, and its process may die
 * of it once more before that row is stored.
 */
const deathsAtMost = { reply: 2, turn: 2, parse: 4 };

interface DeadLetter {
  stage: string;
  reason: string;
  error: string;
  receipt_id: string;
}

describe('a message that kills the process which works on it', () => {
  let system: System;
  let adapter: PlainAdapter;
  let model: Server;
  let app: InstalledApp;
  /** What works on the poison now, and kills when all neighbours of it are in flight too. */
  let round = { kind: '', inFlight: 0, deaths: 0 };
  let dying: Promise<void> = Promise.resolve();

  /** What each request to the adapter or the model does: the poison's process is killed, and starts again. */
  const worksOn = async (kind: string, service: string, text: string): Promise<void> => {
    if (kind !== round.kind) return;
    const mine = round;
    if (!text.includes('poison')) {
      mine.inFlight += 1;
      // In flight until the poison has killed once.
      if (mine.deaths === 0) await until('the process is killed', () => mine.deaths > 0);
      return;
    }
    if (mine.deaths === 0) await until('all are in flight', () => mine.inFlight >= neighbours);
    mine.deaths += 1;
    dying = system.kill(service).then(() => system.restart(service));
    await new Promise(() => undefined);
  };

  beforeAll(async () => {
    adapter = await openPlainAdapter('poison');
    const manifest = adapter.answers['manifest.json']!({}) as object;
    adapter.answers['manifest.json'] = () => ({
      ...manifest,
      capabilities: ['receive', 'send'],
      message: { idempotent: true },
    });
    adapter.answers['verify-webhook'] = () => ({ ok: true });
    adapter.answers['parse-inbound'] = async ({ request }) => {
      const { text } = JSON.parse(request?.body ?? '') as { text: string };
      await worksOn('parse', 'adapter-gateway', text);
      return { event_type: 'message', sender: text, message: text, is_bot: false, channel_address: text };
    };
    adapter.answers['format'] = ({ text = '' }) => ({ text, format: 'plain', parts: [text], lossy: [] });
    adapter.answers['deliver'] = async ({ message, idempotency_key: key }) => {
      await worksOn('reply', 'adapter-gateway', message?.text ?? '');
      return { ok: true, message_id: `to ${key}` };
    };
    model = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const [text = ''] = /(poison|neighbour) \w+ \d+/.exec(Buffer.concat(chunks).toString()) ?? [];
        void worksOn('turn', 'engine', text).then(() =>
          response.setHeader('content-type', 'application/json').end(JSON.stringify(completion(`On ${text}`))),
        );
      });
    });
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    system = await startSystem({
      MODEL_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
      MODEL_NAME: 'fake',
      DELIVERY_TIMEOUT_MS: '60000',
      ADAPTER_TIMEOUT_MS: '60000',
    });
    await system.api('POST', '/api/v1/adapters', { url: adapter.url });
    app = await system.api<InstalledApp>('POST', '/api/v1/listings/poison/install', {});
    await system.api('PUT', `/api/v1/channels/${app.id}`, { unknown_senders: 'open' });
  });
  afterAll(async () => {
    await dying;
    await system?.stop();
    await adapter.close();
    model.closeAllConnections();
    model.close();
  });

  const repliesOn = (text: string): string[] =>
    adapter.calls
      .filter(({ route, body }) => route === 'deliver' && body.message?.text === `On ${text}`)
      .flatMap(({ body }) => body.idempotency_key ?? []);

  it.each([
    ['reply', 'delivery'],
    ['turn', 'turn'],
    ['parse', 'parsed'],
  ] as const)(
    'is dead after few deaths where it is a %s, and its neighbours are answered once',
    async (kind, stage) => {
      round = { kind, inFlight: 0, deaths: 0 };
      const texts = Array.from({ length: neighbours }, (_, n) => `neighbour ${kind} ${n}`);
      const events = await Promise.all(texts.map((text) => post(app.webhook_url, { text })));
      const { id } = await post(app.webhook_url, { text: `poison ${kind} 0` });
      const letter = await until('it is a dead letter', async () => {
        const { data } = await system.api<{ data: DeadLetter[] }>('GET', '/api/v1/events/dead-letters').catch(() => ({
          data: [],
        }));
        return data.find(({ receipt_id: receipt }) => receipt === id);
      });
      expect(letter).toMatchObject({ stage, reason: 'kills_its_process', error: expect.stringContaining('redrive') });
      expect(round.deaths).toBeGreaterThan(1);
      expect(round.deaths).toBeLessThanOrEqual(deathsAtMost[kind]);
      for (const text of texts) await until(`${text} is answered`, () => repliesOn(text).length > 0);
      for (const [n, text] of texts.entries()) {
        expect(new Set(repliesOn(text)).size).toBe(1);
        const { turns, outcome } = await system.ended(events[n]!.id);
        expect({ outcome, turns: turns.length }).toEqual({ outcome: 'routed', turns: 1 });
      }
      const { data: letters } = await system.api<{ data: DeadLetter[] }>('GET', '/api/v1/events/dead-letters');
      expect(letters.filter(({ receipt_id: receipt }) => events.some((event) => event.id === receipt))).toEqual([]);
      const { data: items } = await system.api<{ data: { code: string }[] }>('GET', '/api/v1/attention');
      expect(items.map(({ code }) => code)).toContain('kills_its_process');
    },
  );
});

function completion(content: string): unknown {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return { id: 'chat', object: 'chat.completion', created: 1, model: 'fake', choices, usage };
}
