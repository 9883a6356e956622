import type { Endpoint } from '#libs/contracts';
import { dataSourceOptions } from '#libs/database';
import { Metrics } from '#libs/service-kit';
import { testDatabase, type TestDatabase, until } from '#libs/testing';
import { DataSource } from 'typeorm';
import { schema } from '../db/schema.js';
import { Refusal } from './refusal.entity.js';
import { RefusalLog } from './refusal.repository.js';

let database: TestDatabase;
let source: DataSource;
let log: RefusalLog;
const metrics = new Metrics('webhook-ingress');
const endpoint = { app_id: 'app_1', organization_id: 'org_1', project_id: 'prj_1' } as Endpoint;
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

beforeAll(async () => {
  database = await testDatabase();
  const settings = { url: database.url, poolSize: 2, applicationName: 'refusals' };
  source = await new DataSource(dataSourceOptions(schema, settings)).initialize();
  log = new RefusalLog(source.getRepository(Refusal), metrics);
});

afterAll(async () => {
  await source.destroy();
  await database.drop();
});

const first = { appId: null, cursor: null, order: 'desc', limit: 10 } as const;

describe('refusals', () => {
  it('are kept without their body, and counted', async () => {
    log.record(endpoint, incoming, 'bad_signature', 'ab');
    const [row] = await until('it is kept', async () => {
      const rows = await log.list('org_1', 'prj_1', first);
      return rows.length === 1 && rows;
    });
    expect(row).toMatchObject({ code: 'bad_signature', header_names: 'a,b', body_bytes: 2 });
    expect(await metrics.registry.metrics()).toMatch(
      /gatehouse_outcomes_total\{stage="received",outcome="refused".*\} 1/,
    );
    expect(await log.list('org_2', 'prj_1', first)).toEqual([]);
  });

  it('are read from either end', async () => {
    log.record(endpoint, incoming, 'bad_signature', 'ab');
    const newestFirst = await until('it is kept', async () => {
      const rows = await log.list('org_1', 'prj_1', first);
      return rows.length === 2 && rows.map(({ id }) => id);
    });
    expect(newestFirst).toEqual(newestFirst.toSorted().reverse());
    const oldest = (await log.list('org_1', 'prj_1', { ...first, order: 'asc', limit: 1 })).map(({ id }) => id);
    expect(oldest).toEqual(newestFirst.slice(1));
    const after = await log.list('org_1', 'prj_1', { ...first, order: 'asc', cursor: oldest[0] ?? null });
    expect(after.map(({ id }) => id)).toEqual(newestFirst.slice(0, 1));
  });

  it('are deleted when they are old', async () => {
    const old = `evt_${(Date.now() - 31 * 86_400_000).toString(16).padStart(12, '0')}7000`;
    await source.query(
      `INSERT INTO ingress.refusal SELECT $1, at, organization_id, project_id, app_id, code, method, header_names,
      body_bytes, body_sha256, remote_address FROM ingress.refusal LIMIT 1`,
      [old],
    );
    expect(await log.deleteOld(30, 10)).toBe(1);
    expect(await log.list('org_1', 'prj_1', first)).toHaveLength(2);
    expect(await log.list('org_1', 'prj_1', { ...first, appId: 'app_other' })).toEqual([]);
  });
});
