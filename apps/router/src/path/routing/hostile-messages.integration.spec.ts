import { newId, type NormalizedMessage } from '#libs/contracts';
import { JobContext } from '#libs/queue';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { jobOf, type RouterWorld, routerWorld } from '../../testing/router-world.js';
import { RoutingService } from './routing.service.js';

let world: RouterWorld;
let router: NestFastifyApplication;

beforeAll(async () => {
  world = await routerWorld();
  router = await world.start();
});
afterAll(() => world.close());

interface Stored {
  message: NormalizedMessage;
  outcome: string;
}

async function route(message: Partial<NormalizedMessage>, kind: 'builtin' | 'adapter' = 'adapter'): Promise<Stored> {
  const appId = await world.channel({ unknown_senders: 'open', session_scope: 'channel' });
  const job = jobOf(appId, message, { app_kind: kind, receipt_id: newId('evt') });
  const context = new JobContext(['message.route', 1, Date.now(), (wait) => wait]);
  await router.get(RoutingService, { strict: false }).route(job, context.attempt);
  return world.message(job.receipt_id);
}
const nested = (levels: number): object =>
  Array.from({ length: levels - 1 }).reduce<object>((inner) => ({ inner }), { end: true });
const wide = String.fromCodePoint(0x20000);
const random = (chars: number): string =>
  Array.from({ length: chars }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7_919) % 20_000))).join('');

describe('a message', () => {
  it.each(['builtin', 'adapter'] as const)(
    'with U+0000 and lone surrogates in every field is routed (%s)',
    async (kind) => {
      const stored = await route(
        {
          event_type: 'a\0b',
          sender: 'a\ud800b',
          message: 'NUL \0 and half a pair \udc00',
          dedup_key: 'key\0\ud800',
          thread_id: 'thread\0',
          metadata: { 'name\0': ['value\ud800'], channel_address: 'c\0', reply_context: { a: '\0' }, message_id: '\0' },
        },
        kind,
      );
      expect(stored.outcome).toBe('routed');
      expect(JSON.stringify(stored.message)).not.toMatch(/\\u0000|\\ud8/);
    },
  );

  it('with names of any length is routed', async () => {
    const long = random(5_000);
    const names = { event_type: long, sender: long, dedup_key: long, thread_id: wide.repeat(3_000) };
    expect(await route({ ...names, metadata: { channel_address: long, message_id: long } })).toMatchObject({
      outcome: 'routed',
    });
  });

  it('keeps all of its metadata: levels, entries and texts', async () => {
    const metadata = {
      payload: nested(99),
      list: Array.from({ length: 6_000 }, (_, index) => index),
      text: 'y'.repeat(50_000),
    };
    expect((await route({ metadata }, 'builtin')).message.metadata).toEqual(metadata);
  });
});

describe('a number that no workflow can have', () => {
  it.each(['2147483648', '9007199254740993', '-1'])('is not found: %s', async (id) => {
    expect((await world.internal('GET', `workflows/${id}`)).status).toBe(404);
    expect((await world.call('GET', `workflows/${id}`)).status).toBe(404);
  });
});
