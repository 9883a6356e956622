import { jobs, outboundSent } from '#libs/contracts';
import { JobClient, JobServer, PermanentFailure } from '#libs/queue';
import { testRedisUrl, until } from '#libs/testing';
import { Redis } from 'ioredis';
import { aclFile, queuesOf, redisUser } from '../../scripts/launcher/redis-users.mjs';
import { queuePrefix } from '../../libs/queue/src/connection.js';
import { isSharded } from '../../libs/queue/src/shards.js';
import { makeRedisUsers, type RedisUsers } from '../system/store-users.js';

const example = { app_id: 'app_1', sender: null, message_ids: [], text_hash: null };
let users: RedisUsers;

beforeAll(async () => {
  users = await makeRedisUsers(testRedisUrl(), 'deploy_');
});

async function asks(service: string, ...command: [string, ...string[]]): Promise<unknown> {
  const redis = new Redis(users.urlOf(service), { disableClientInfo: true });
  try {
    return await redis.call(...command);
  } catch (error) {
    // DEBUG is refused to everybody, even before permissions are checked.
    return /NOPERM|DEBUG command not allowed/.test(String(error)) ? 'refused' : String(error);
  } finally {
    redis.disconnect();
  }
}

describe('the Redis user of a service', () => {
  it('adds jobs, takes them, retries and dead-letters them, and is refused nothing on the way', async () => {
    const seen: string[] = [];
    const client = new JobClient(users.urlOf('adapter-gateway'));
    const server = new JobServer({ redisUrl: users.urlOf('router'), queues: [outboundSent.queue], concurrency: 2 });
    let tries = 0;
    server.addHandler(
      outboundSent.name,
      async ({ delivery_id }: { delivery_id: string }) => {
        const id = delivery_id.replace('dlv_', '');
        if (id === 'later' && (tries += 1) < 3) throw new Error('again');
        if (id === 'bad') throw new PermanentFailure('bad', 'never');
        seen.push(id);
      },
      true,
    );
    server.addHandler(
      `${outboundSent.name}.dead`,
      async ({ payload }: { payload: { delivery_id: string } }) => {
        seen.push(payload.delivery_id.replace('dlv_', 'dead '));
      },
      true,
    );
    const payload = (delivery_id: string) => ({ ...example, delivery_id: `dlv_${delivery_id}` });
    try {
      const ids = Array.from({ length: 40 }, (_, index) => `many ${index}`);
      const added = await until('Redis takes jobs', async () => {
        const taken = await Promise.all(
          [...ids, 'later', 'bad'].map((id) => client.enqueue(outboundSent, payload(id))),
        );
        return taken.every(Boolean);
      });
      expect(added).toBe(true);
      await client.enqueueLater(outboundSent, payload('delayed'), 50);
      expect((await client.depth(outboundSent.queue)).waiting).toBeGreaterThan(0);
      server.listen(() => undefined);
      await until('all were served', () => ['later', 'dead bad', 'delayed', ...ids].every((id) => seen.includes(id)));
    } finally {
      await server.close();
      await client.close();
    }
    expect(await users.refused()).toEqual([]);
  });

  it('reaches the keys of its queues and their shards, and of no other', async () => {
    const all = [...new Set(jobs.map(({ queue }) => queue)), 'order'];
    for (const [service, own] of Object.entries(queuesOf)) {
      for (const queue of all) {
        const answer = await asks(service, 'LLEN', `{gatehouse:q:${queue}}:${queue}:wait`);
        expect([service, queue, answer === 'refused']).toEqual([service, queue, !own.includes(queue)]);
        const shard = await asks(service, 'LLEN', `${queuePrefix(queue, 1)}:${queue}:wait`);
        const mayUse = own.includes(queue) && isSharded(queue);
        expect([service, queue, shard === 'refused']).toEqual([service, queue, !mayUse]);
      }
      expect(await asks(service, 'GET', 'another')).toBe('refused');
      const script = `return redis.call('LLEN', '{gatehouse:q:other}:other:wait')`;
      expect(String(await asks(service, 'EVAL', script, '0'))).toMatch(/refused|ACL failure|can't access/);
    }
    expect(new Set(Object.values(queuesOf).flat())).toEqual(new Set(all));
  });

  it.each<[string, ...string[]]>([
    ['FLUSHALL'],
    ['FLUSHDB'],
    ['CONFIG', 'GET', '*'],
    ['CONFIG', 'SET', 'dir', '/tmp'],
    ['DEBUG', 'SLEEP', '0'],
    ['KEYS', '*'],
    ['SCAN', '0'],
    ['RANDOMKEY'],
    ['MONITOR'],
    ['SHUTDOWN'],
    ['SAVE'],
    ['REPLICAOF', 'no', 'one'],
    ['MODULE', 'LIST'],
    ['MIGRATE', '127.0.0.1', '1', 'k', '0', '1'],
    ['ACL', 'LIST'],
    ['CLIENT', 'LIST'],
    ['CLIENT', 'KILL', 'ID', '1'],
    ['SCRIPT', 'FLUSH'],
    ['SWAPDB', '0', '1'],
    ['SUBSCRIBE', 'x'],
    ['PUBLISH', 'x', 'y'],
  ])('may not %s', async (...command) => {
    for (const service of Object.keys(queuesOf))
      expect([service, await asks(service, ...command)]).toEqual([service, 'refused']);
  });
});

describe('the ACL file of users', () => {
  it('lets nobody in without a password, and contains none in plain text', () => {
    const file = aclFile((user) => `secret of ${user}`);
    expect(file).toMatch(/^user default off /);
    expect(file).not.toContain('secret of');
    expect(file.match(/^user gatehouse_\w+ on #[0-9a-f]{64} /gm)).toHaveLength(Object.keys(queuesOf).length + 1);
    for (const service of Object.keys(queuesOf)) expect(file).toContain(`user ${redisUser(service)} on #`);
  });
});
