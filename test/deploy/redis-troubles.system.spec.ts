import { outboundSent } from '#libs/contracts';
import { JobClient, JobServer } from '#libs/queue';
import { type BreakableLink, openLink, restoreLogs, silenceLogs, until } from '#libs/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rulesOf } from '../../scripts/launcher/redis-users.mjs';
import { type Server, startRedis } from './redis-servers.js';

const user = 'router';
const secret = 'of-the-router';
const queue = outboundSent.queue;
const payload = { delivery_id: 'dlv_1', app_id: 'app_1', sender: null, message_ids: [], text_hash: null };

const dir = mkdtempSync(join(tmpdir(), 'gatehouse-troubles-'));
let redis: Server;
let link: BreakableLink;
let client: JobClient;
let server: JobServer;
let served = 0;

const ask = (command: string): Promise<unknown> => redis.ask(...(command.split(' ') as [string]));
const setUser = (rules: string): Promise<unknown> => ask(`ACL SETUSER ${user} ${rules}`);
const disconnect = (): Promise<unknown> => ask(`CLIENT KILL USER ${user}`);
const state = (): string | undefined => client.health.state()?.code;

beforeAll(async () => {
  silenceLogs();
  redis = await startRedis(dir, 'one', {
    more: ['enable-debug-command yes', 'loading-process-events-interval-bytes 1024'],
  });
  await setUser(`on >${secret} ${rulesOf(user)}`);
  link = await openLink(`redis://${user}:${secret}@127.0.0.1:${redis.port}`);
  client = new JobClient(link.url);
  client.watch([queue]);
  server = new JobServer({ redisUrl: link.url, health: client.health, queues: [queue], concurrency: 1 });
  server.addHandler(outboundSent.name, async () => void (served += 1), true);
  server.addHandler(`${outboundSent.name}.dead`, async () => undefined, true);
  server.listen(() => undefined);
});
afterAll(async () => {
  await server?.close();
  await client?.close();
  await link?.close();
  await redis?.kill();
  rmSync(dir, { recursive: true });
  restoreLogs();
});

const untilServed = async (): Promise<void> => {
  const before = served;
  await until('jobs are served', async () => {
    await client.enqueue(outboundSent, payload);
    return served > before;
  });
};

describe('a service whose Redis', () => {
  it.each<[string, string, () => Promise<unknown>, () => Promise<unknown>]>([
    [
      'has another password',
      'wrong_login',
      async () => [await setUser('resetpass >another'), await disconnect()],
      () => setUser(`resetpass >${secret}`),
    ],
    ['permits the user nothing', 'not_permitted', () => setUser('-@all'), () => setUser(rulesOf(user))],
    [
      'permits the user everything but to wait for jobs',
      'not_permitted',
      async () => [await setUser('-bzpopmin'), await disconnect()],
      () => setUser(rulesOf(user)),
    ],
    ['is a replica', 'read_only', () => ask('REPLICAOF 127.0.0.1 1'), () => ask('REPLICAOF NO ONE')],
    ['has no memory left', 'out_of_memory', () => ask('CONFIG SET maxmemory 1'), () => ask('CONFIG SET maxmemory 0')],
    [
      'lacks its replicas',
      'cannot_write',
      () => ask('CONFIG SET min-replicas-to-write 1'),
      () => ask('CONFIG SET min-replicas-to-write 0'),
    ],
    [
      'takes no more clients',
      'too_many_clients',
      async () => [await ask('CONFIG SET maxclients 1'), await disconnect()],
      () => ask('CONFIG SET maxclients 100'),
    ],
    ['is away', 'unreachable', async () => link.cut(), async () => link.mend()],
    [
      'loads its data',
      'loading',
      async () => {
        await ask('DEBUG POPULATE 1500');
        await ask('CONFIG SET key-load-delay 8000');
        void ask('DEBUG RELOAD');
      },
      async () => until('it is loaded', async () => (await ask('PING')) === 'PONG'),
    ],
  ])('%s names it, and works again by itself afterwards', async (_what, code, spoil, mend) => {
    await untilServed();
    await until('nothing is wrong', () => state() === undefined);
    await spoil();
    await until(`it is named (${code})`, () => state() === code);
    await mend();
    await until('it is over', () => state() === undefined);
    await untilServed();
  });
});
