import { outboundSent } from '#libs/contracts';
import { JobClient, JobServer, RunLater } from '#libs/queue';
import { freePort, restoreLogs, silenceLogs, until } from '#libs/testing';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { aclFile, DEFAULT_USER, queuesOf, redisUser } from '../../scripts/launcher/redis-users.mjs';
import { root } from '../../scripts/launcher/project.mjs';
import { type RedisEngine, redisEngines } from './redis-engines.js';
import { read } from './manifests.js';

const { engines, missing } = redisEngines();
const restarts = engines.flatMap((engine) => (['SIGTERM', 'SIGKILL'] as const).map((signal) => ({ engine, signal })));
const passwordOf = (user: string): string => `secret-of-${user}`;
const payload = (id: string) => ({
  delivery_id: `dlv_${id}`,
  app_id: 'app_1',
  sender: null,
  message_ids: [],
  text_hash: null,
});

/** A server as an installation runs it: with an append-only file, and with the ACL file that Gatehouse writes. */
async function start(engine: RedisEngine, dir: string) {
  const port = await freePort();
  writeFileSync(join(dir, 'users.acl'), aclFile(passwordOf));
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--maxmemory-policy', 'noeviction'];
  const child = spawn(
    engine.command,
    [...engine.args, '--port', String(port), '--bind', '127.0.0.1', '--dir', dir, '--aclfile', 'users.acl', ...durable],
    { cwd: dir, env: { ...process.env, ...engine.env }, stdio: 'ignore' },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const urlOf = (user: string, password: string): string => `redis://${user}:${password}@127.0.0.1:${port}`;
  const admin = new Redis(urlOf('gatehouse_admin', passwordOf('admin')), {
    disableClientInfo: true,
    retryStrategy: () => 50,
  });
  admin.on('error', () => undefined);
  await until(`${engine.name} answers`, async () => (await admin.ping()) === 'PONG');
  return {
    admin,
    urlOf: (service: string) => urlOf(redisUser(service), passwordOf(service)),
    /** What somebody hears who signs in as `default`, or not at all. */
    answerTo: async (...commands: [string, ...string[]][]) => {
      const visitor = new Redis(port, '127.0.0.1', { disableClientInfo: true, enableReadyCheck: false });
      try {
        for (const command of commands) await visitor.call(...command);
        return 'served';
      } catch (error) {
        return error instanceof Error ? error.message.split(' ')[0] : String(error);
      } finally {
        visitor.disconnect();
      }
    },
    stop: async (signal: 'SIGTERM' | 'SIGKILL') => {
      admin.disconnect();
      child.kill(signal);
      await exited;
    },
  };
}

function serve(redisUrl: string, handle: (payload: { delivery_id: string }) => Promise<void>): JobServer {
  const server = new JobServer({ redisUrl, queues: [outboundSent.queue], concurrency: 2 });
  server.addHandler(outboundSent.name, handle, true);
  server.addHandler(`${outboundSent.name}.dead`, async () => undefined, true);
  server.listen(() => undefined);
  return server;
}

const running: { stop(signal: 'SIGKILL'): Promise<void> }[] = [];
const begin = async (...args: Parameters<typeof start>) => {
  const server = await start(...args);
  running.push(server);
  return server;
};

describe('a restart of Redis with the users of an installation', () => {
  let dir: string;
  beforeAll(() => {
    silenceLogs();
    if (missing.length > 0) process.stderr.write(`left out, could not be had: ${missing.join(' | ')}\n`);
  });
  afterAll(restoreLogs);
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'gatehouse-redis-restart-'));
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((server) => server.stop('SIGKILL')));
    rmSync(dir, { recursive: true });
  });

  it('is tried on at least one server', () => {
    expect(engines.length).toBeGreaterThan(0);
  });

  it.each(restarts)('finds every job again: $engine.name, $signal', async ({ engine, signal }) => {
    const before = await begin(engine, dir);
    const ids = Array.from({ length: 60 }, (_, index) => `many${index}`);
    // By each road into the file: bulk and single adds (MULTI and scripts), delays, and a consumer's scripts.
    const client = new JobClient(before.urlOf('adapter-gateway'));
    await until('a job is taken', () => client.enqueue(outboundSent, payload('first')));
    expect(await client.enqueueLater(outboundSent, payload('delayed'), 3_600_000)).toBe(true);
    const first = serve(before.urlOf('router'), async () => {
      throw new RunLater(3_600_000, 'not_now');
    });
    await until('the first waits for its retry', async () => (await client.depth(outboundSent.queue)).delayed === 2);
    await first.close();
    expect(await Promise.all(ids.map((id) => client.enqueue(outboundSent, payload(id))))).toEqual(ids.map(() => true));
    const held = await before.admin.keys('*');
    const depth = await client.depth(outboundSent.queue);
    await client.close();
    await before.stop(signal);

    const after = await begin(engine, dir);
    expect((await after.admin.keys('*')).sort()).toEqual(held.sort());
    const later = new JobClient(after.urlOf('adapter-gateway'));
    await until('it is connected', async () => (await later.waiting(outboundSent.queue)).own >= 0);
    const { waiting, active, delayed } = await later.depth(outboundSent.queue);
    expect({ waiting, active, delayed }).toEqual({ waiting: depth.waiting, active: 0, delayed: 2 });
    await later.close();

    const served: string[] = [];
    const server = serve(after.urlOf('router'), async ({ delivery_id }) => void served.push(delivery_id.slice(4)));
    await until('all were served', () => served.length >= ids.length);
    await server.close();
    expect(served.sort()).toEqual(ids.sort());
  });

  it.each(engines)('lets nobody in as the default user: $name', async (engine) => {
    const server = await begin(engine, dir);
    expect(await server.answerTo(['PING'])).toBe('NOAUTH');
    expect(await server.answerTo(['KEYS', '*'])).toBe('NOAUTH');
    // ioredis reports its own attempt to sign in, too.
    const refused = /^(?:WRONGPASS|NOAUTH)$/;
    for (const password of ['', 'default', passwordOf('admin')]) {
      expect(await server.answerTo(['AUTH', password])).toMatch(refused);
      expect(await server.answerTo(['AUTH', 'default', password])).toMatch(refused);
      expect(await server.answerTo(['HELLO', '3', 'AUTH', 'default', password])).toMatch(refused);
    }
  });
});

describe('the default user of Redis', () => {
  it('is off, without a password, and may do everything, in each file that has one', () => {
    const text = { encoding: 'utf8', cwd: root } as const;
    const files = spawnSync('git', ['grep', '-lIE', 'user default (on|off)'], text).stdout.trim().split('\n');
    const shipped = files.filter((file) => !/\.(ts|md)$/.test(file));
    expect(shipped).toEqual(expect.arrayContaining(['docker-compose.yml', 'scripts/launcher/redis-users.mjs']));
    for (const file of shipped) {
      const lines = [...read(file).matchAll(/user default (?:on|off).*?(?=['"`]|$)/gm)].map(([line]) => line.trim());
      expect([file, [...new Set(lines)]]).toEqual([file, [DEFAULT_USER]]);
    }
    expect(Object.keys(queuesOf)).not.toContain('default');
  });
});
