import { outboundSent } from '#libs/contracts';
import { JobClient, JobServer } from '#libs/queue';
import { Hopeless, restoreLogs, silenceLogs, until } from '#libs/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MasterWatch } from '../../libs/queue/src/sentinels/master-watch.js';
import { password, type Server, startRedis, startWatchedRedis, type Watched } from './redis-servers.js';

/** Consumers are not made anew: what is tested has to do without. */
const patience = { lookMs: 60_000, looks: 3, lives: 4 };
const { queue } = outboundSent;

/** A producer and a consumer of jobs, each under its own name. */
function startJobs(redisUrl: string) {
  const served = new Set<string>();
  const client = new JobClient(redisUrl);
  const server = new JobServer({ redisUrl, queues: [queue], concurrency: 2, patience });
  server.addHandler(outboundSent.name, async (job: { delivery_id: string }) => void served.add(job.delivery_id), true);
  server.addHandler(`${outboundSent.name}.dead`, async () => undefined, true);
  server.listen(() => undefined);
  return {
    served,
    /** As a sweeper does: what was not taken is added again. */
    add: (id: string) =>
      until(`${id} is taken`, () =>
        client.enqueue(outboundSent, {
          delivery_id: id,
          app_id: 'app_1',
          sender: null,
          message_ids: [],
          text_hash: null,
        }),
      ),
    close: async () => {
      await server.close();
      await client.close();
    },
  };
}

/** Connections other than those of Sentinels and of the test. */
async function clientsOf({ ask }: Server): Promise<string[]> {
  const own = `id=${String(await ask('CLIENT', 'ID'))} `;
  const all = String(await ask('CLIENT', 'LIST', 'TYPE', 'NORMAL'))
    .trim()
    .split('\n');
  return all.filter((line) => !line.startsWith(own) && !line.includes('name=sentinel-'));
}

describe('behind Sentinels', () => {
  let dir: string;
  let watched: Watched;
  let jobs: ReturnType<typeof startJobs> | undefined;

  beforeEach(async () => {
    silenceLogs();
    dir = mkdtempSync(join(tmpdir(), 'gatehouse-sentinels-'));
    watched = await startWatchedRedis(dir);
  });
  afterEach(async () => {
    await jobs?.close();
    jobs = undefined;
    await watched.close();
    rmSync(dir, { recursive: true });
    restoreLogs();
  });

  it('all connections leave a master that was stopped and continues, while it still believes that it is one', async () => {
    jobs = startJobs(watched.url);
    const { add, served } = jobs;
    await add('before');
    await until('it is served', () => served.has('before'));
    expect((await clientsOf(watched.master)).length).toBeGreaterThan(2);
    await watched.freezeMaster();
    watched.master.resume();
    await until('they have left', async () => {
      const left = await clientsOf(watched.master);
      if (!String(await watched.master.ask('ROLE')).startsWith('master'))
        throw new Hopeless(`not before: ${left.join('\n')}`);
      return left.length === 0;
    });
    await add('after');
    await until('a job through the new master is served', () => served.has('after'));
    expect((await clientsOf(watched.replica)).length).toBeGreaterThan(2);
  });

  it('connections that are being made to a stopped master are made to the next one', async () => {
    watched.master.stall();
    jobs = startJobs(watched.url);
    const { add, served } = jobs;
    await add('first');
    await until('it is served', () => served.has('first'));
    expect((await clientsOf(watched.replica)).length).toBeGreaterThan(2);
  });

  it('a Sentinel that is stopped keeps no connection from being made', async () => {
    watched.sentinels[0]?.stall();
    jobs = startJobs(watched.url);
    const { add, served } = jobs;
    await add('first');
    await until('it is served', () => served.has('first'));
  });

  it('a Sentinel that is cut off from the others is not believed, whatever is doubted, unless no other one answers', async () => {
    const { port } = watched.master;
    const more = [
      `sentinel monitor gatehouse 127.0.0.1 ${port} 2`,
      'sentinel auth-pass gatehouse wrong',
      'sentinel down-after-milliseconds gatehouse 600000',
      `sentinel sentinel-pass ${password}`,
    ];
    const cutOff = await startRedis(dir, 'cut-off', { sentinel: true, more });
    const nodes = [...watched.sentinels, cutOff].map((one) => ({ host: '127.0.0.1', port: one.port }));
    const watch = new MasterWatch({ nodes, master: 'gatehouse', password });
    expect(await watch.master()).toMatchObject({ port });
    await watched.failOver();
    await until('it knows the new one', async () => (await watch.master()).port === watched.replica.port);
    for (let times = 0; times < nodes.length; times += 1) {
      watch.doubt();
      expect(await watch.master()).toMatchObject({ port: watched.replica.port });
    }
    await Promise.all(watched.sentinels.map((one) => one.kill()));
    expect(await watch.master()).toMatchObject({ port: watched.replica.port });
    watch.doubt();
    expect(await watch.master()).toMatchObject({ port });
    await cutOff.kill();
    watch.doubt();
    await expect(watch.master()).rejects.toThrow('No Sentinel names the master gatehouse');
  });
});
