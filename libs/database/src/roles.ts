import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg from 'pg';
import { allSchemas } from './all-schemas.js';
import { refuseOtherMigrations, refuseOtherOwner } from './older-layout.js';
import { DatabaseRefused, logInFor } from './preparing-job.js';
import { ownerRole, roleOf } from './role-names.js';

const scramIterations = 4_096;

/** By service; `owner` is the role that migrates. */
export type RolePasswords = Record<string, string>;

/**
 * Creates the roles that services connect with and the one that owns their schemas. None of them may do anything else
 * in the server. Safe to run repeatedly; sets each role's password to the one given here.
 * @param adminUrl of a role that may create roles and owns the database; needed only for this
 * @throws DatabaseRefused when it cannot log in, a password is missing, a role may do more than it should, or the schemas
 *   have an older layout
 */
export async function prepareRoles(
  adminUrl: string,
  passwords: RolePasswords,
  extension: 'js' | 'ts' = 'js',
): Promise<string[]> {
  const schemas = await allSchemas(extension);
  const services = schemas.flatMap(({ service }) => (service === null ? [] : [service]));
  const wanted = new Map([
    [ownerRole, passwords['owner']],
    ...services.map((name) => [roleOf(name), passwords[name]] as const),
  ]);
  const without = [...wanted].filter(([, password]) => !password).map(([role]) => role);
  if (without.length > 0) throw new DatabaseRefused(`No password is given for ${without.join(', ')}.`);
  const client = await logInFor('prepare-roles', 'DATABASE_ADMIN_URL', adminUrl);
  try {
    await client.query('BEGIN');
    await client.query("SELECT pg_advisory_xact_lock(hashtext('gatehouse-roles'))");
    const db = { query: async (sql: string, values?: unknown[]) => (await client.query(sql, values)).rows };
    await refuseOtherOwner(
      db,
      schemas.map(({ schema }) => schema.name),
    );
    await refuseOtherMigrations(db, schemas);
    for (const [role, password] of wanted) await ensureRole(client, role, password ?? '');
    for (const name of services) await boundRole(client, roleOf(name));
    await refuseMighty(client, [...wanted.keys()]);
    await openDatabase(client, [...wanted.keys()]);
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
  return [...wanted.keys()];
}

async function ensureRole(client: pg.Client, role: string, password: string): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [role]);
  const verb = rowCount ? 'ALTER' : 'CREATE';
  await client.query(`${verb} ROLE ${role} LOGIN PASSWORD ${pg.escapeLiteral(scramVerifier(password))}`);
}

/**
 * What Postgres stores for a password (RFC 5803). Sent instead of the password, so that no statement log contains it.
 */
function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, scramIterations, 32, 'sha256');
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${scramIterations}:${salt.toString('base64')}$${stored}:${keyOf('Server Key').toString('base64')}`;
}

/** Ends a stuck statement, whoever started it. Set on the role, not the connection, because a pooler's are shared. */
async function boundRole(client: pg.Client, role: string): Promise<void> {
  await client.query(`ALTER ROLE ${role} SET statement_timeout = '15s'`);
  await client.query(`ALTER ROLE ${role} SET idle_in_transaction_session_timeout = '30s'`);
}

/** Only the named roles may connect, and none of them may create temporary tables. */
async function openDatabase(client: pg.Client, roles: string[]): Promise<void> {
  const { rows } = await client.query<{ name: string }>('SELECT quote_ident(current_database()) AS name');
  const database = rows[0]?.name ?? '';
  await client.query(`REVOKE ALL ON DATABASE ${database} FROM PUBLIC`);
  await client.query(`GRANT CONNECT ON DATABASE ${database} TO ${roles.join(', ')}`);
  await client.query(`GRANT CREATE ON DATABASE ${database} TO ${ownerRole}`);
  await client.query('REVOKE CREATE ON SCHEMA public FROM PUBLIC');
}

/** A role of that name that already existed, or that is a member of another role, may have any rights. */
async function refuseMighty(client: pg.Client, roles: string[]): Promise<void> {
  const { rows } = await client.query<{ rolname: string }>(
    `SELECT rolname FROM pg_roles r WHERE rolname = ANY($1) AND (
       rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls
       OR EXISTS (SELECT 1 FROM pg_auth_members m WHERE m.member = r.oid))`,
    [roles],
  );
  if (rows.length === 0) return;
  const names = rows.map(({ rolname }) => rolname).join(', ');
  throw new DatabaseRefused(
    `${names} may do more than a service should: take its attributes and memberships away, or drop it.`,
  );
}
