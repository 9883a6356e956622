import { monitorRedis, until } from '#libs/testing';
import { Redis } from 'ioredis';
import { path } from '../../apps/host/src/hosted-services.js';
import { scrape, sumOf } from './metrics.js';
import { openSink, type Sink } from './sink.js';
import { startSystem, type System } from './system.js';
import { post } from './webhook.js';

const queues = ['inbound', 'route', 'turns', 'outbound'];

describe('the path of a message in one process', () => {
  let system: System;
  let sink: Sink;
  let redis: Redis;

  beforeAll(async () => {
    sink = await openSink();
    system = await startSystem({}, { hosted: path, linked: false });
    redis = new Redis(system.redisUrl);
    await system.api('PUT', `/api/v1/channels/${system.appId}`, { reply_address: sink.url });
    await handled(0);
  });
  afterAll(async () => {
    redis?.disconnect();
    await system?.stop();
    await sink.close();
  });

  /** Sends a message; resolves when its reply is delivered. */
  async function handled(number: number): Promise<void> {
    const { status, id } = await post(system.webhookUrl, { task: `message ${number}`, thread_id: 'one' });
    expect(status).toBe(200);
    await until('its reply arrives', () => sink.repliesTo(id)[0]);
    await system.reached(id, 'delivery', 'delivered');
  }

  /** BullMQ counts the jobs that were added to a queue. */
  async function jobsMade(): Promise<number> {
    const counts = await Promise.all(queues.map((queue) => redis.get(`{gatehouse:q:${queue}}:${queue}:id`)));
    return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
  }

  async function handedOver(): Promise<number> {
    const texts = await Promise.all(path.map((name) => metricsOf(name)));
    return texts.reduce((sum, text) => sum + sumOf(text, 'gatehouse_jobs_handed_over'), 0);
  }

  /** The log of a process names the ports of all its services. */
  const metricsOf = (service: string): Promise<string> => scrape(system, service, 'host');

  it('makes no job in Redis, and sends it no command but those of the order', async () => {
    const [jobs, handed] = [await jobsMade(), await handedOver()];
    const ownDatabase = new URL(system.redisUrl).pathname.slice(1) || '0';
    const commands: string[][] = [];
    // A monitor hears all databases of the server, also those of specs that run beside this one.
    const monitor = await monitorRedis(system.redisUrl, ({ database, source, words }) => {
      if (source !== 'lua' && database === ownDatabase) commands.push(words);
    });
    const count = 5;
    for (let number = 1; number <= count; number += 1) await handled(number);
    monitor.stop();
    expect(await jobsMade()).toBe(jobs);
    expect((await handedOver()) - handed).toBe(3 * count);
    // BullMQ notes its version in `meta` when a queue is first read.
    const isIdle = ([name = '', key = '']: string[]): boolean =>
      idleCommands.has(name.toLowerCase()) || key.endsWith(':meta');
    const names = commands.filter((command) => !isIdle(command)).map(([name = '']) => name.toLowerCase());
    expect([...new Set(names)].filter((name) => !orderCommands.has(name))).toEqual([]);
  });

  it('goes on where it was killed: nothing is lost or replied to twice', async () => {
    const sent = await Promise.all(
      Array.from({ length: 20 }, (_, number) => post(system.webhookUrl, { task: `killed ${number}` })),
    );
    await system.kill('router');
    await system.restart('router');
    for (const { id, status } of sent) {
      expect(status).toBe(200);
      await until('its reply arrives', () => sink.repliesTo(id)[0]);
      expect(new Set(sink.repliesTo(id).map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    }
  });
});

/** What workers, probes and scrapes ask while nothing happens. */
const idleCommands = new Set([
  'bzpopmin',
  'evalsha',
  'eval',
  'ping',
  'info',
  'time',
  'hmget',
  'get',
  'set',
  'llen',
  'zcount',
  'zscore',
]);
/** Messages of a session are stored in the order of their receipts, also by other processes. */
const orderCommands = new Set(['zadd', 'pexpire', 'zrem', 'zrange']);
