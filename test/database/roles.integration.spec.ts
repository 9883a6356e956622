import { migrateAll, ownerRole, prepareRoles, roleOf } from '#libs/database';
import { testDatabase, type TestDatabase, testPasswords } from '#libs/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../scripts/launcher/postgres.mjs';

const schemas: Record<string, string> = {
  'adapter-gateway': 'gateway.app',
  'credential-vault': 'vault.credential',
  engine: 'engine.agent',
  'mcp-registry': 'registry.tool',
  portal: 'portal.api_key',
  router: 'router.message',
  'webhook-ingress': 'ingress.receipt',
};
const services = Object.keys(schemas);
let database: TestDatabase;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

/** @returns the rows, or the SQLSTATE of Postgres's refusal */
async function as(service: string, sql: string, url = database.urlOf(service)): Promise<pg.QueryResultRow[] | string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error.code ?? 'no code';
    throw error;
  } finally {
    await client.end();
  }
}

const forbidden = '42501';

describe('the role of a service', () => {
  it.each(services)('of %s reads its own schema, and none of another service', async (service) => {
    expect(await as(service, `SELECT * FROM ${schemas[service]} LIMIT 1`)).toEqual([]);
    for (const other of services.filter((each) => each !== service)) {
      expect([other, await as(service, `SELECT * FROM ${schemas[other]} LIMIT 1`)]).toEqual([other, forbidden]);
    }
  });

  it.each([...services, 'owner'])('of %s runs no program, reads no file, and creates no role', async (service) => {
    expect(await as(service, `COPY (SELECT 1) TO PROGRAM 'true'`)).toBe(forbidden);
    expect(await as(service, `SELECT pg_read_file('/etc/passwd')`)).toBe(forbidden);
    expect(await as(service, 'CREATE ROLE intruder SUPERUSER')).toBe(forbidden);
    expect(await as(service, 'SET ROLE gatehouse_portal')).toEqual(service === 'portal' ? [] : forbidden);
    const [role] = await as(
      service,
      'SELECT rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = current_user',
    );
    expect(role).toEqual({ rolsuper: false, rolcreatedb: false, rolcreaterole: false });
  });

  it.each(services.filter((each) => each !== 'portal'))('of %s creates no API key', async (service) => {
    const insert = `INSERT INTO portal.api_key SELECT (jsonb_populate_record(NULL::portal.api_key, '{"id": "key_x"}')).*`;
    expect(await as(service, insert)).toBe(forbidden);
    expect(await as(service, `UPDATE portal.api_key SET scopes = '{admin}'`)).toBe(forbidden);
  });

  it.each(services)('of %s changes neither a table nor the list of migrations', async (service) => {
    const [schema] = (schemas[service] ?? '').split('.');
    expect(await as(service, `CREATE TABLE ${schema}.mine (id int)`)).toBe(forbidden);
    expect(await as(service, `DROP TABLE ${schemas[service]} CASCADE`)).toBe(forbidden);
    expect(await as(service, `DELETE FROM ${schema}.migration`)).toBe(forbidden);
    expect(await as(service, 'CREATE TABLE public.mine (id int)')).toBe(forbidden);
  });
});

describe('the journal', () => {
  const writers = ['webhook-ingress', 'adapter-gateway', 'router', 'engine'];
  const entry = `INSERT INTO journal.entry (receipt_id, at, organization_id, project_id, app_id, service, stage, outcome, terminal, attempt)
    VALUES ('rcp_1', now(), 'org', 'prj', 'app', 's', 'route', 'routed', true, 1)`;

  it.each(writers)('is written by %s, and cannot be changed or emptied by anybody', async (service) => {
    expect(await as(service, entry)).toEqual([]);
    for (const change of [
      `UPDATE journal.entry SET outcome = 'dead'`,
      'DELETE FROM journal.entry',
      'TRUNCATE journal.entry',
      'DELETE FROM journal.entry_default',
      'DELETE FROM journal.dead_letter',
      'DELETE FROM journal.batch',
    ]) {
      expect([change, await as(service, change)]).toEqual([change, forbidden]);
    }
  });

  it.each(services.filter((each) => !writers.includes(each)))('is closed to %s', async (service) => {
    expect(await as(service, entry)).toBe(forbidden);
    expect(await as(service, 'SELECT * FROM journal.entry')).toBe(forbidden);
  });
});

describe('the daily partitions of a table', () => {
  it('are created by the service that maintains them, which may read them', async () => {
    expect(
      await as(
        'webhook-ingress',
        `SELECT ingress.receipt_make_day('2036-01-01'), journal.entry_make_day('2036-01-01')`,
      ),
    ).toHaveLength(1);
    expect(await as('webhook-ingress', 'SELECT * FROM ingress.receipt_20360101')).toEqual([]);
    expect(await as('webhook-ingress', 'DROP TABLE ingress.receipt_20360101')).toBe(forbidden);
  });

  it('are dropped when they are over, and not before', async () => {
    await as('webhook-ingress', `SELECT journal.entry_make_day('2020-01-01')`);
    expect(await as('webhook-ingress', `SELECT journal.entry_drop_day('2020-01-01')`)).toHaveLength(1);
    for (const early of [
      'journal.entry_drop_day(current_date)',
      `journal.entry_forget_default(now() + interval '1 hour', 10)`,
      `journal.forget_before(now())`,
    ]) {
      expect(await as('webhook-ingress', `SELECT ${early}`)).toBe('P0001');
    }
  });

  it('are not accessible to the other services', async () => {
    for (const service of services.filter((each) => each !== 'webhook-ingress')) {
      expect(await as(service, `SELECT journal.entry_make_day('2036-01-02')`)).toBe(forbidden);
      expect(await as(service, `SELECT journal.entry_drop_day('2020-01-01')`)).toBe(forbidden);
    }
  });
});

describe('preparing the roles', () => {
  // Roles belong to a server, and other tests use those of the shared one meanwhile.
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-roles-'));
  let postgres: Awaited<ReturnType<typeof startPostgres>>;

  const urlOf = (service: string): string => {
    const url = new URL(postgres.url);
    url.username = service === 'owner' ? ownerRole : roleOf(service);
    url.password = testPasswords[service] ?? '';
    return url.href;
  };

  beforeAll(async () => {
    postgres = await startPostgres({ dataDir, durable: false, detached: false });
    await prepareRoles(postgres.url, testPasswords, 'ts');
    await migrateAll(urlOf('owner'), 'ts');
  });
  afterAll(async () => {
    await postgres?.stop();
    rmSync(dataDir, { recursive: true });
  });

  it('can be repeated, and sets each password again', async () => {
    await prepareRoles(postgres.url, { ...testPasswords, portal: 'changed' }, 'ts');
    const changed = new URL(urlOf('portal'));
    changed.password = 'changed';
    try {
      expect(await as('portal', 'SELECT 1 AS one', changed.href)).toEqual([{ one: 1 }]);
    } finally {
      await prepareRoles(postgres.url, testPasswords, 'ts');
    }
    expect(await as('portal', 'SELECT 1 AS one', urlOf('portal'))).toEqual([{ one: 1 }]);
  });

  it('says in one sentence that a database has an older layout', async () => {
    await as('admin', 'ALTER SCHEMA router OWNER TO CURRENT_USER', postgres.url);
    try {
      await expect(prepareRoles(postgres.url, testPasswords, 'ts')).rejects.toThrow(
        /made by an earlier version of Gatehouse.*owns the schema router.*npm run reset/,
      );
    } finally {
      await as('admin', 'ALTER SCHEMA router OWNER TO gatehouse_owner', postgres.url);
    }
  });

  it('says the same of one with different migrations, before any migration runs', async () => {
    const rename = `UPDATE router.migration SET name = 'Older' || name`;
    await as('admin', rename, postgres.url);
    const sentence =
      /made by an earlier version of Gatehouse, in which other migrations made the schema router \(OlderRouter.*npm run reset/;
    try {
      await expect(prepareRoles(postgres.url, testPasswords, 'ts')).rejects.toThrow(sentence);
      await expect(migrateAll(urlOf('owner'), 'ts')).rejects.toThrow(sentence);
    } finally {
      await as('admin', `UPDATE router.migration SET name = substr(name, 6)`, postgres.url);
    }
  });

  it('lets an earlier release run on the schema of a later one', async () => {
    const later = `INSERT INTO router.migration (timestamp, name) VALUES (9000000000000, 'Later9000000000000')`;
    await as('admin', later, postgres.url);
    try {
      expect((await migrateAll(urlOf('owner'), 'ts')).ran['router']).toEqual([]);
    } finally {
      await as('admin', `DELETE FROM router.migration WHERE name LIKE 'Later%'`, postgres.url);
    }
  });

  it('accepts no role with more rights, and leaves none without a password', async () => {
    await expect(prepareRoles(postgres.url, { owner: 'x' }, 'ts')).rejects.toThrow(/No password.*gatehouse_router/);
    await as('admin', 'ALTER ROLE gatehouse_engine CREATEDB', postgres.url);
    try {
      await expect(prepareRoles(postgres.url, testPasswords, 'ts')).rejects.toThrow(/gatehouse_engine may do more/);
    } finally {
      await as('admin', 'ALTER ROLE gatehouse_engine NOCREATEDB', postgres.url);
    }
  });
});
