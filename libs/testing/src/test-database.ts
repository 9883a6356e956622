import { migrateAll, ownerRole, prepareRoles, roleOf } from '#libs/database';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { testDatabaseUrl } from './env.js';
import { until } from './until.js';

const template = 'gatehouse_template';
/** The same for every database of the server, because roles are shared. */
export const testPasswords = Object.fromEntries(
  ['owner', 'adapter-gateway', 'credential-vault', 'engine', 'mcp-registry', 'portal', 'router', 'webhook-ingress'].map(
    (name) => [name, `test-${name}`],
  ),
);

export interface TestDatabase {
  /** As the server's administrator, without restrictions. */
  url: string;
  /** As a service connects, with its own role; `owner` for the one that migrates. */
  urlOf(service: string): string;
  drop(): Promise<void>;
}

/** A database for this test only, with every schema migrated, cloned from a template (0.1 to 0.2 s). */
export async function testDatabase(): Promise<TestDatabase> {
  await withTemplateLock(async (admin) => {
    const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [template]);
    if (rowCount) return;
    const building = `${template}_building`;
    await admin.query(`DROP DATABASE IF EXISTS ${building}`);
    await admin.query(`CREATE DATABASE ${building}`);
    await prepareRoles(databaseUrl(building), testPasswords, 'ts');
    await migrateAll(asRole(databaseUrl(building), 'owner'), 'ts');
    await admin.query(`ALTER DATABASE ${building} RENAME TO ${template}`);
  });
  const name = newName();
  await asAdmin((admin) => admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  return handleOf(name);
}

/** A database without any schema, in which the roles may create theirs. */
export async function emptyTestDatabase(): Promise<TestDatabase> {
  const name = newName();
  await withTemplateLock(async (admin) => {
    await admin.query(`CREATE DATABASE ${name}`);
    await prepareRoles(databaseUrl(name), testPasswords, 'ts');
  });
  return handleOf(name);
}

const newName = (): string => `test_${randomBytes(8).toString('hex')}`;

function handleOf(name: string): TestDatabase {
  return {
    url: databaseUrl(name),
    urlOf: (service) => asRole(databaseUrl(name), service),
    drop: async () => {
      await asAdmin(async (admin) => {
        // A pool ends before its connections do: for one that is cut off meanwhile, nothing handles the error.
        const rest = 'SELECT FROM pg_stat_activity WHERE datname = $1';
        await until('all have left', async () => (await admin.query(rest, [name])).rowCount === 0, 20_000).catch(
          () => null,
        );
        await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      });
    },
  };
}

function databaseUrl(name: string): string {
  const url = new URL(testDatabaseUrl());
  url.pathname = `/${name}`;
  return url.href;
}

/** The address of a database as a service connects to it; `owner` for who migrates. */
export function asRole(databaseUrl: string, service: string): string {
  const url = new URL(databaseUrl);
  url.username = service === 'owner' ? ownerRole : roleOf(service);
  url.password = testPasswords[service] ?? '';
  return url.href;
}

async function asAdmin<T>(work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: testDatabaseUrl() });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

/** Test files run in several processes: one of them makes the template. */
async function withTemplateLock(work: (admin: pg.Client) => Promise<void>): Promise<void> {
  await asAdmin(async (admin) => {
    await admin.query('SELECT pg_advisory_lock(4711)');
    await work(admin);
  });
}
