import { until } from '#libs/testing';
import { setTimeout as pause } from 'node:timers/promises';
import { path } from '../../apps/host/src/hosted-services.js';
import { openSink, type Sink } from './sink.js';
import { startSystem, type System } from './system.js';
import { post } from './webhook.js';

const perSecond = 50;
/** At most so many before each kill and each restart: a slow machine restarts longer, and is not given more work for it. */
const atATime = 120;
/** Leases short enough that a killed process's work is taken over soon. */
const leases = {
  RECEIPT_LEASE_MS: '2000',
  DELIVERY_LEASE_MS: '3000',
  TURN_LEASE_MS: '4000',
  SWEEP_EVERY_MS: '1000',
  SWEEP_AFTER_MS: '2000',
};

describe.each([
  ['with a process each', []],
  ['with one process for the path of a message', path],
])('while services are killed one after the other, the system %s', (_way, hosted) => {
  let system: System;
  let sink: Sink;

  beforeAll(async () => {
    sink = await openSink();
    // Handed over is what leads to the same Redis.
    system = await startSystem(leases, { hosted, linked: hosted.length === 0 });
    await system.api('PUT', `/api/v1/channels/${system.appId}`, { reply_address: sink.url });
  });
  afterAll(async () => {
    await system?.stop();
    await sink.close();
  });

  /** Retries under the same key until it is acknowledged, as a provider does. @returns the event's id */
  const deliver = (number: number): Promise<string> =>
    until(`message ${number} is acknowledged`, async () => {
      const body = { task: `message ${number}`, thread_id: `thread ${number % 40}` };
      const { status, id } = await post(system.webhookUrl, body, { 'idempotency-key': `message-${number}` });
      return status === 200 && id;
    });

  it('loses no message, and replies to each exactly once', async () => {
    let most = atATime;
    const killAll = async (): Promise<void> => {
      await until('messages flow', () => sink.arrivals.length > 0);
      for (const service of ['adapter-gateway', 'router', 'engine', 'webhook-ingress']) {
        await system.kill(service);
        most += atATime;
        await system.restart(service);
        most += atATime;
      }
    };
    const sent: Promise<string>[] = [];
    let killing = true;
    const killed = killAll().finally(() => (killing = false));
    while (killing || sent.length < most) {
      if (sent.length < most) sent.push(deliver(sent.length));
      await pause(1_000 / perSecond);
    }
    await killed;
    const ids = await Promise.all(sent);
    expect(new Set(ids).size).toBe(sent.length);

    const keysOf = (id: string): Set<unknown> =>
      new Set(sink.repliesTo(id).map(({ headers }) => headers['idempotency-key']));
    await until('every message was replied to', () => ids.every((id) => keysOf(id).size > 0));
    // If a process dies with a delivery's answer, the delivery is repeated under its key, by which the receiver
    // recognises it.
    expect(ids.filter((id) => keysOf(id).size !== 1)).toEqual([]);
    expect(new Set(sink.arrivals.map(({ json }) => json['in_reply_to']))).toEqual(new Set(ids));

    // A journal entry that a process lost is written again when a sweeper wakes its event.
    for (const id of ids) expect(await system.ended(id)).toMatchObject({ outcome: 'routed' });
  });
});
