import { deliverySend, inboundParse, messageRoute, turnRun } from '#libs/contracts';
import { JobClient } from '#libs/queue';
import { until } from '#libs/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Server, startCluster, startRedis } from '../deploy/redis-servers.js';
import type { InstalledApp } from './api.js';
import { openSink, type Sink } from './sink.js';
import { hostable, startSystem, type System } from './system.js';
import { post } from './webhook.js';

const perSecond = 40;
const path = ['webhook-ingress', 'adapter-gateway', 'router', 'engine'];
const queues = [inboundParse, messageRoute, turnRun, deliverySend].map(({ queue }) => queue);
/** A sweep takes what a killed process has left. */
const boundMs = 120_000;

describe('queues whose number of shards changes', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-shards-'));
  const servers: Server[] = [];
  let system: System;
  let sink: Sink;
  let jobs: JobClient;
  /** The webhook of an App in each of some projects. */
  const urls: string[] = [];
  const sent: Promise<string>[] = [];

  beforeAll(async () => {
    sink = await openSink();
    const start = async (...how: [name: string, how: Parameters<typeof startRedis>[2]]): Promise<Server> => {
      const server = await startRedis(dir, ...how);
      servers.push(server);
      return server;
    };
    const { url } = await startCluster(['c1', 'c2', 'c3'], start);
    jobs = new JobClient(url(), undefined, 4);
    const given = { redis: { url: url(), release: async () => undefined } };
    const hosted = hostable.filter((name) => !path.includes(name));
    system = await startSystem({ LOG_LEVEL: 'warn', DIRECT_PARSES_PER_SECOND: '0' }, { given, hosted, linked: false });
    for (let number = 0; number < 16; number += 1) urls.push(await installIn(`Project ${number}`));
  });
  afterAll(async () => {
    await system?.stop();
    await jobs.close();
    await Promise.all([sink.close(), ...servers.map((server) => server.kill())]);
    rmSync(dir, { recursive: true });
  });

  /** @returns the webhook of an App whose answers reach the sink */
  async function installIn(name: string): Promise<string> {
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/projects', { name });
    const inIt = { 'x-project-id': id };
    const app = await system.api<InstalledApp>('POST', '/api/v1/apps', { name, kind: 'builtin' }, inIt);
    await system.api('PUT', `/api/v1/channels/${app.id}`, { reply_address: sink.url }, inIt);
    return `${system.origin('webhook-ingress')}${app.webhook_path}`;
  }

  async function sendWhile(isOn: () => boolean): Promise<void> {
    for (; isOn(); await pause(1_000 / perSecond)) {
      const number = sent.length;
      const url = urls[number % urls.length] ?? '';
      const body = { task: `message ${number}`, thread_id: `thread ${number % 40}` };
      const key = { 'idempotency-key': `message-${number}` };
      sent.push(
        until(`message ${number} is acknowledged`, async () => {
          const { status, id } = await post(url, body, key);
          return status === 200 && id;
        }),
      );
    }
  }

  /** Kills one service of the path after the other, and starts each with that number, while messages flow. */
  async function changeTo(shards: number): Promise<void> {
    let isOn = true;
    const change = async (): Promise<void> => {
      for (const service of path) {
        await system.kill(service);
        await system.restart(service, { QUEUE_SHARDS: String(shards) });
      }
    };
    await Promise.all([change().finally(() => (isOn = false)), sendWhile(() => isOn)]);
    const end = sent.length + urls.length * 2;
    await sendWhile(() => sent.length < end);
  }

  it('lose and double no message from one to four, to two and back, with each service killed on the way', async () => {
    await changeTo(4);
    // Most replies are sent without a job in Redis.
    for (const queue of queues.filter((name) => name !== deliverySend.queue)) {
      await until(`jobs of ${queue} were added on more than one node`, async () => {
        // A shard to which a job was added counts them.
        const added = servers.map((server) => server.ask('KEYS', `{gatehouse:q:${queue}*}:${queue}:id`));
        return (await Promise.all(added)).filter((keys) => (keys as string[]).length > 0).length > 1;
      });
    }
    await changeTo(2);
    await changeTo(1);

    const ids = await Promise.all(sent);
    expect(new Set(ids).size).toBe(ids.length);
    const keysOf = (id: string): Set<unknown> =>
      new Set(sink.repliesTo(id).map(({ headers }) => headers['idempotency-key']));
    await until('every message was replied to', () => ids.every((id) => keysOf(id).size > 0), boundMs);
    expect(ids.filter((id) => keysOf(id).size !== 1)).toEqual([]);
    for (const queue of queues) {
      await until(`no shard of ${queue} holds a job`, async () => {
        const held = await Promise.all([0, 1, 2, 3].map((shard) => jobs.held(queue, shard)));
        return held.every((count) => count === 0);
      });
    }
  });
});
