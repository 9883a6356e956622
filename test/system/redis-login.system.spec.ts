import { until } from '#libs/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { password, type Server, startRedis } from '../deploy/redis-servers.js';
import { gatehouse } from '../cli/gatehouse.js';
import { openSink, type Sink } from './sink.js';
import { hostable, startSystem, type System } from './system.js';
import { post } from './webhook.js';

interface Item {
  code: string;
  text: string;
  what_to_do: string;
  resource: { kind: string; id: string | null };
}
interface Line {
  service: string;
  /** RFC 3339 */
  time: string;
  event?: string;
  url?: string;
  code?: string;
}

const dir = mkdtempSync(join(tmpdir(), 'gatehouse-login-'));
let redis: Server;
let system: System;
let sink: Sink;

beforeAll(async () => {
  sink = await openSink();
  redis = await startRedis(dir, 'one');
  const url = `redis://:${password}@127.0.0.1:${redis.port}`;
  const given = { redis: { url, release: () => redis.kill() } };
  system = await startSystem({}, { hosted: hostable, given });
  await system.api('PUT', `/api/v1/channels/${system.appId}`, { reply_address: sink.url });
});
afterAll(async () => {
  await system?.stop();
  await sink?.close();
  rmSync(dir, { recursive: true });
});

const lines = (): Line[] =>
  system
    .logs()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? (JSON.parse(line) as Line) : []));
const troubles = async (): Promise<Item[]> =>
  (await system.api<{ data: Item[] }>('GET', '/api/v1/attention')).data.filter(({ code }) => code.startsWith('redis_'));
const setPassword = async (of: string): Promise<void> => {
  await redis.ask('ACL', 'SETUSER', 'gatehouse_router', 'resetpass', `>${of}`);
  await redis.ask('CLIENT', 'KILL', 'USER', 'gatehouse_router');
};
/** What the operations port of the router says. */
async function ready(): Promise<{ status: number; body: Record<string, unknown> }> {
  const started = lines().find(({ service, event }) => service === 'router' && event === 'operations.started');
  const answer = await fetch(`${started?.url}/health/ready`);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

describe('a Redis that refuses the login of one service', () => {
  it('is named in log, ready, doctor and attention until it is over, and what waited is replied to', async () => {
    expect(await troubles()).toEqual([]);
    expect(await ready()).toEqual({ status: 200, body: { status: 'ok' } });
    await setPassword('another');

    const [item] = await until('it needs attention', async () => {
      const found = await troubles();
      return found.length > 0 && found;
    });
    expect(item).toMatchObject({ code: 'redis_wrong_login', resource: { kind: 'service', id: 'router' } });
    expect(item?.text).toMatch(/^The work of router waits: Redis refuses the login: .*WRONGPASS/);
    expect(item?.what_to_do).toContain('REDIS_URL');
    // Messages are still taken, so the replicas stay in service, and a rollout goes on.
    expect(await ready()).toMatchObject({
      status: 200,
      body: { status: 'degraded', code: 'wrong_login', reason: expect.stringContaining('WRONGPASS') },
    });
    expect((await fetch(`${system.origin('router')}/health/ready`)).status).toBe(200);
    const { status, id } = await post(system.webhookUrl, { task: 'wait' });
    expect(status).toBe(200);
    const doctor = await gatehouse(['doctor'], {
      GATEHOUSE_URL: system.origin('portal'),
      GATEHOUSE_API_KEY: system.apiKey,
    });
    expect(doctor.out).toMatch(/^ERROR +redis: router: Redis refuses the login: .*WRONGPASS/m);
    expect(doctor.out).not.toMatch(/attention: .*Redis/);
    expect(doctor.code).toBe(1);

    await setPassword('test-redis');
    await until('nothing needs attention', async () => (await troubles()).length === 0);
    expect((await ready()).body).toEqual({ status: 'ok' });
    await until('the message is replied to', () => sink.repliesTo(id).length > 0);
    const logged = lines().filter(({ event }) => event?.startsWith('redis.'));
    const warned = logged.filter(({ event }) => event === 'redis.trouble');
    expect(new Set(logged.map(({ service }) => service))).toEqual(new Set(['router']));
    expect(warned.map(({ code }) => code)).toContain('wrong_login');
    expect(logged.at(-1)?.event).toBe('redis.works_again');
    // One a state and minute, however many connections fail each second.
    const minutes = Math.ceil((Date.now() - Date.parse(warned[0]?.time ?? '')) / 60_000);
    expect(warned.length).toBeLessThanOrEqual(new Set(warned.map(({ code }) => code)).size * minutes);
  });
});
