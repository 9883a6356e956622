import { until } from '#libs/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startWatchedRedis, type Watched } from '../deploy/redis-servers.js';
import { openSink, type Sink } from './sink.js';
import { startSystem, type System } from './system.js';
import { post } from './webhook.js';

const perSecond = 50;
/** Before the failover, and after it. */
const beforeAndAfter = 150;

/** How it loses its master. */
const ways: [string, (redis: Watched) => Promise<void>][] = [
  ['is killed', (redis) => redis.failOver()],
  // It then holds jobs that the next one does not have, and takes more until it is made a replica.
  [
    'is stopped, and continues when another one is the master',
    (redis) => redis.freezeMaster().then(() => redis.master.resume()),
  ],
];

describe.each(ways)('a Redis whose master %s', (_how, fail) => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-failover-'));
  let redis: Watched;
  let system: System;
  let sink: Sink;

  beforeAll(async () => {
    sink = await openSink();
    redis = await startWatchedRedis(dir);
    const given = { redis: { url: redis.url, release: () => redis.close() } };
    system = await startSystem({}, { given });
    await system.api('PUT', `/api/v1/channels/${system.appId}`, { reply_address: sink.url });
  });
  afterAll(async () => {
    await system?.stop();
    await sink.close();
    rmSync(dir, { recursive: true });
  });

  it('loses no message meanwhile: each acknowledged one gets one reply', async () => {
    const sent: Promise<string>[] = [];
    const send = async (count: number): Promise<void> => {
      for (const end = sent.length + count; sent.length < end; await pause(1_000 / perSecond)) {
        const number = sent.length;
        const body = { task: `message ${number}`, thread_id: `thread ${number % 40}` };
        const key = { 'idempotency-key': `message-${number}` };
        sent.push(
          until(`message ${number} is acknowledged`, async () => {
            const { status, id } = await post(system.webhookUrl, body, key);
            return status === 200 && id;
          }),
        );
      }
    };
    await send(beforeAndAfter);
    let without = true;
    const failedOver = fail(redis).finally(() => (without = false));
    while (without) await send(1);
    await failedOver;
    await send(beforeAndAfter);

    const ids = await Promise.all(sent);
    const keysOf = (id: string): Set<unknown> =>
      new Set(sink.repliesTo(id).map(({ headers }) => headers['idempotency-key']));
    await until('every message was replied to', () => ids.every((id) => keysOf(id).size > 0));
    expect(ids.filter((id) => keysOf(id).size !== 1)).toEqual([]);
    for (const id of ids) expect(await system.ended(id)).toMatchObject({ outcome: 'routed' });
  });
});
