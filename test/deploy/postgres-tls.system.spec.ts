import { Database, dataSourceOptions, migrateAll, prepareRoles } from '#libs/database';
import { testPasswords } from '#libs/testing';
import { chownSync, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../scripts/launcher/postgres.mjs';
import { type Certificates, makeCertificates } from './certificates.js';

describe('a Postgres that accepts only TLS', () => {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-pg-tls-'));
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let certificates: Certificates;
  let dataDir: string;

  const asAdmin = async (sql: string[]): Promise<unknown[]> => {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    let rows: unknown[] = [];
    for (const statement of sql) ({ rows } = await client.query(statement));
    await client.end();
    return rows;
  };
  const withTls = (url: string, ca: string): string => `${url}?sslmode=verify-full&sslrootcert=${ca}`;

  beforeAll(async () => {
    certificates = makeCertificates(dir);
    postgres = await startPostgres({ dataDir: join(dir, 'data'), durable: false, detached: false });
    [{ data_directory: dataDir }] = (await asAdmin(['SHOW data_directory'])) as [{ data_directory: string }];
    const { uid, gid } = statSync(dataDir);
    for (const [from, to] of [
      [certificates.cert, 'server.crt'],
      [certificates.key, 'server.key'],
    ] as const) {
      copyFileSync(from, join(dataDir, to));
      chownSync(join(dataDir, to), uid, gid);
    }
    await asAdmin(["ALTER SYSTEM SET ssl = 'on'", 'SELECT pg_reload_conf()']);
  });
  afterAll(async () => {
    await postgres?.stop();
    rmSync(dir, { recursive: true });
  });

  it('gets its roles, is migrated and used by a service, each over TLS', async () => {
    const url = withTls(postgres.url, certificates.ca);
    await prepareRoles(url, testPasswords, 'ts');
    const as = (user: string, service: string): string => {
      const own = new URL(url);
      own.username = user;
      own.password = testPasswords[service] ?? '';
      return own.href;
    };
    expect((await migrateAll(as('gatehouse_owner', 'owner'), 'ts')).roles).toBe(true);
    const settings = { url: as('gatehouse_router', 'router'), poolSize: 2, applicationName: 'tls' };
    const source = new Database(dataSourceOptions({ name: 'router', entities: [], migrations: [] }, settings));
    await source.initialize();
    expect(await source.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).toEqual([{ ssl: true }]);
    expect(await source.query('SHOW statement_timeout')).toEqual([{ statement_timeout: '15s' }]);
    await source.destroy();
  });

  it('is not trusted with a certificate of another authority', async () => {
    const client = new pg.Client({ connectionString: withTls(postgres.url, certificates.otherCa) });
    await expect(client.connect()).rejects.toThrow(/certificate/);
  });
});
