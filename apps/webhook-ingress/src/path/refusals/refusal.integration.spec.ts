import type { Endpoint } from '#libs/contracts';
import { dataSourceOptions } from '#libs/database';
import { Metrics } from '#libs/service-kit';
import { restoreLogs, silenceLogs, until } from '#libs/testing';
import { Logger } from '@nestjs/common';
import { hash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { schema } from '../../db/schema.js';
import { ingressSettings } from '../../testing/ingress-world.js';
import { receipt, receiptsWorld, type ReceiptsWorld } from '../../testing/receipts-world.js';
import { PackingRepository } from '../../manage/packing/packing.repository.js';
import { IngressRetention } from '../../manage/retention/retention.repository.js';
import { Refusal } from '../../entities/ingress.entity.js';
import { RefusalLog } from './refusal-log.js';
import { RefusalListRepository } from '../../manage/refusals/refusal-list.repository.js';
import { RefusalRepository } from './refusal.repository.js';

let world: ReceiptsWorld;
let source: DataSource;
let rows: RefusalListRepository;
/** Over a link that can be cut. */
let cuttable: DataSource;
let directory: string;
const logs: RefusalLog[] = [];
const endpoint = {
  app_id: 'app_1',
  organization_id: 'org_1',
  project_id: 'prj_1',
  delivery_id_header: 'x-delivery',
} as Endpoint;
const incoming = {
  method: 'POST',
  url: '/',
  token: 't',
  headers: { b: '1', a: '2' },
  body: Buffer.from('xy'),
  compressed: null,
  remoteAddress: '::1',
  probe: false,
};
const badSignature = { status: 401, code: 'bad_signature' };
const unavailable = { status: 503, code: 'unavailable' };

beforeAll(async () => {
  silenceLogs();
  world = await receiptsWorld();
  const settings = { poolSize: 2, applicationName: 'refusals' };
  source = await new DataSource(dataSourceOptions(schema, { ...settings, url: world.databaseUrl })).initialize();
  cuttable = await new DataSource(dataSourceOptions(schema, { ...settings, url: world.postgres.url })).initialize();
  rows = new RefusalListRepository(source.getRepository(Refusal));
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'refusals-'));
  await source.query('TRUNCATE ingress.outage, ingress.refusal, ingress.receipt, ingress.delivery_key');
});
afterEach(async () => {
  world.postgres.mend();
  await Promise.all(logs.splice(0).map(stop));
  await rm(directory, { recursive: true, force: true });
});
afterAll(async () => {
  await Promise.all([source.destroy(), cuttable.destroy()]);
  await world.close();
  restoreLogs();
});

const started = (over: DataSource = source, metrics = new Metrics('webhook-ingress')): RefusalLog => {
  const settings = ingressSettings({ SPOOL_DIR: directory });
  const log = new RefusalLog(new RefusalRepository(over.getRepository(Refusal)), metrics, settings);
  log.onApplicationBootstrap();
  logs.push(log);
  return log;
};
async function stop(log: RefusalLog): Promise<void> {
  await log.onModuleDestroy();
  await log.onApplicationShutdown();
}
const first = { appId: null, returned: null, cursor: null, order: 'desc', limit: 500 } as const;
const listed = (): Promise<Refusal[]> => rows.list('org_1', 'prj_1', first);
const kept = (count: number): Promise<Refusal[]> =>
  until(`${count} are kept`, async () => {
    const page = await listed();
    return page.length === count && page;
  });

describe('refusals', () => {
  it('are kept without their body, counted, and a line of the log each', async () => {
    const lines: object[] = [];
    Logger.overrideLogger({
      log: (line: object) => void lines.push(line),
      warn: () => undefined,
      error: () => undefined,
    });
    const metrics = new Metrics('webhook-ingress');
    started(source, metrics).record(endpoint, incoming, badSignature);
    const [row] = await kept(1);
    expect(row).toMatchObject({ code: 'bad_signature', header_names: 'a,b', body_bytes: 2, times: 1, event_id: null });
    expect(await metrics.registry.metrics()).toMatch(
      /gatehouse_outcomes_total\{stage="received",outcome="refused".*\} 1/,
    );
    expect(await rows.list('org_2', 'prj_1', first)).toEqual([]);
    silenceLogs();
    const line = { event: 'webhook.refused', refusal: row?.id, app: 'app_1', code: 'bad_signature', status: 401 };
    expect(lines).toEqual([{ ...line, remote_address: '::1' }]);
  });

  it('are read from either end', async () => {
    const log = started();
    log.record(endpoint, incoming, badSignature);
    log.record(endpoint, incoming, badSignature);
    const newestFirst = (await kept(2)).map(({ id }) => id);
    expect(newestFirst).toEqual(newestFirst.toSorted().reverse());
    const oldest = (await rows.list('org_1', 'prj_1', { ...first, order: 'asc', limit: 1 })).map(({ id }) => id);
    expect(oldest).toEqual(newestFirst.slice(1));
    const after = await rows.list('org_1', 'prj_1', { ...first, order: 'asc', cursor: oldest[0] ?? null });
    expect(after.map(({ id }) => id)).toEqual(newestFirst.slice(0, 1));
  });

  it('are deleted when they are old', async () => {
    started().record(endpoint, incoming, badSignature);
    await kept(1);
    const old = `evt_${(Date.now() - 31 * 86_400_000).toString(16).padStart(12, '0')}7000`;
    await source.query(
      `INSERT INTO ingress.refusal SELECT $1, at, organization_id, project_id, app_id, code, method, header_names,
      body_bytes, body_sha256, remote_address FROM ingress.refusal LIMIT 1`,
      [old],
    );
    const retention = new IngressRetention(source, world.journal, { RETENTION_DAYS: 30 });
    expect(await retention.deleteOldRefusals(30, 10)).toBe(1);
    expect(await listed()).toHaveLength(1);
    expect(await rows.list('org_1', 'prj_1', { ...first, appId: 'app_other' })).toEqual([]);
  });

  it('are one row with their number where a limit refused them', async () => {
    const log = started();
    for (let at = 0; at < 500; at += 1) log.record(endpoint, incoming, { status: 429, code: 'rate_limited' });
    log.record(endpoint, { ...incoming, remoteAddress: '::2' }, { status: 429, code: 'rate_limited' });
    const page = await kept(2);
    expect(page.map(({ remote_address, times }) => [remote_address, times]).toSorted()).toEqual([
      ['::1', 500],
      ['::2', 1],
    ]);
    expect(page.find(({ times }) => times > 1)?.last_at).toBeInstanceOf(Date);
  });

  it('wait while Postgres is away, a bounded number of them, and are written down when it is back', async () => {
    world.postgres.cut();
    const log = started(cuttable);
    for (let at = 0; at < 150; at += 1) log.record(endpoint, incoming, unavailable);
    await until('they are on the disk', async () => (await readdir(directory)).length === 1);
    expect(await listed()).toEqual([]);
    world.postgres.mend();
    const page = await kept(100);
    expect(page.reduce((sum, { times }) => sum + times, 0)).toBe(150);
    await until('the file is removed', async () => (await readdir(directory)).length === 0);
  });

  it('are written down by the next process where this one died in the outage', async () => {
    world.postgres.cut();
    const log = started(cuttable);
    log.record(endpoint, { ...incoming, headers: { 'x-delivery': 'd-1' } }, unavailable);
    await until('it is on the disk', async () => (await readdir(directory)).length === 1);
    await log.onModuleDestroy();
    logs.length = 0;
    started();
    const [row] = await kept(1);
    expect(row).toMatchObject({ code: 'unavailable', delivery_id: 'd-1' });
    expect(row?.key_hash).toEqual(hash('sha256', 'x-delivery:d-1', 'buffer'));
    await until('the file is removed', async () => (await readdir(directory)).length === 0);
  });

  it('name the event that they became when they came again, by the id of the sender or by their body', async () => {
    const log = started();
    log.record(endpoint, { ...incoming, headers: { 'x-delivery': 'd-1' } }, unavailable);
    log.record(endpoint, { ...incoming, body: Buffer.from('same') }, unavailable);
    log.record(endpoint, { ...incoming, body: Buffer.from('gone') }, unavailable);
    await kept(3);
    const named = { ...receipt(), appId: 'app_1', body: Buffer.from('another') };
    const key = { hash: hash('sha256', 'x-delivery:d-1', 'binary'), bodyHash: hash('sha256', named.body, 'binary') };
    const same = { ...receipt(), appId: 'app_1', body: Buffer.from('same') };
    const others = { ...receipt(), appId: 'app_2', body: Buffer.from('gone') };
    const writer = world.writer();
    await writer.write(named, key);
    for (const one of [same, others]) await writer.write(one, null);
    const since = new Date(Date.now() - 60_000);
    await new RefusalRepository(source.getRepository(Refusal)).noteReturned(since, 3);
    const [gone, unnamed, withId] = await listed();
    expect([withId?.event_id, unnamed?.event_id, gone?.event_id]).toEqual([named.id, same.id, null]);
    expect(await rows.list('org_1', 'prj_1', { ...first, returned: false })).toEqual([gone]);
    expect(await rows.list('org_1', 'prj_1', { ...first, returned: true })).toHaveLength(2);
  });

  it('name the event that they became by its body also when that is packed', async () => {
    const log = started();
    const body = Buffer.from('the same words, '.repeat(60));
    log.record(endpoint, { ...incoming, body }, unavailable);
    log.record(endpoint, { ...incoming, body: Buffer.from(body).reverse() }, unavailable);
    await kept(2);
    // As many as one batch, of the same length, come before it.
    const others = Array.from({ length: 50 }, (_, n) => ({
      ...receipt(),
      body: Buffer.from(String(n).padEnd(body.length)),
    }));
    const same = { ...receipt(), body };
    const writer = world.writer();
    for (const one of [...others, same]) await writer.write(one, null);
    await source.query(`INSERT INTO ingress.sweep VALUES (3, now() - interval '1 day')
      ON CONFLICT (id) DO UPDATE SET swept_to = excluded.swept_to`);
    expect(await new PackingRepository(source).packOlder(0, 100)).toBe(51);
    await new RefusalRepository(source.getRepository(Refusal)).noteReturned(new Date(Date.now() - 60_000), 3);
    expect((await listed()).map(({ event_id: event }) => event)).toEqual([null, same.id]);
  });

  it('that were the fault of the platform are an outage of the App, to be asked for', async () => {
    const log = started();
    log.record(endpoint, incoming, badSignature);
    log.record(endpoint, incoming, unavailable);
    log.record(endpoint, incoming, unavailable);
    const page = await kept(3);
    const times = page.filter(({ code }) => code === 'unavailable').map(({ at }) => at);
    const found: unknown = await source.query('SELECT app_id, since, until, announced_at FROM ingress.outage');
    expect(found).toEqual([{ app_id: 'app_1', since: times.at(-1), until: times[0], announced_at: null }]);
  });
});
