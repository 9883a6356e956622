import type { OwnedSchema } from './all-schemas.js';
import type { Queryable } from './partitions.js';
import { DatabaseRefused } from './preparing-job.js';
import { roleOf } from './role-names.js';

/**
 * The services whose roles receive grants; none where one role does everything.
 * @throws Error when only some of the roles exist
 */
export async function rolesOf(db: Queryable, schemas: OwnedSchema[]): Promise<string[]> {
  const services = schemas.flatMap(({ service }) => (service === null ? [] : [service]));
  const rows = (await db.query('SELECT rolname FROM pg_roles WHERE rolname = ANY($1)', [services.map(roleOf)])) as {
    rolname: string;
  }[];
  if (rows.length === 0) return [];
  const missing = services.map(roleOf).filter((role) => !rows.some(({ rolname }) => rolname === role));
  if (missing.length > 0)
    throw new DatabaseRefused(`The roles ${missing.join(', ')} are missing: run prepare-roles first.`);
  return services;
}

/**
 * Grants each service access to its own schema, and to what other schemas grant it. Repeated after each migration, for
 * what that has added, and for what is no longer granted.
 */
export async function grantSchema(db: Queryable, owned: OwnedSchema, services: string[]): Promise<void> {
  await db.query('BEGIN');
  for (const statement of statementsFor(owned, services)) await db.query(statement);
  await db.query('COMMIT');
}

function statementsFor({ schema, service }: OwnedSchema, services: string[]): string[] {
  const { name, grants = {} } = schema;
  const everyone = services.map(roleOf).join(', ');
  const what = ['TABLES', 'SEQUENCES', 'FUNCTIONS'];
  // Starts from nothing each time, so that a grant disappears with the release that drops it.
  const revoked = [
    ...what.map((each) => `REVOKE ALL ON ALL ${each} IN SCHEMA ${name} FROM PUBLIC, ${everyone}`),
    `REVOKE ALL ON SCHEMA ${name} FROM PUBLIC, ${everyone}`,
  ];
  return [...revoked, ...(service === null ? [] : ownGrants(name, roleOf(service))), ...sharedGrants(name, grants)];
}

function ownGrants(name: string, role: string): string[] {
  const given = [
    ['TABLES', 'SELECT, INSERT, UPDATE, DELETE'],
    ['SEQUENCES', 'USAGE, SELECT'],
    ['FUNCTIONS', 'EXECUTE'],
  ] as const;
  return [
    `GRANT USAGE ON SCHEMA ${name} TO ${role}`,
    ...given.map(([what, privileges]) => `GRANT ${privileges} ON ALL ${what} IN SCHEMA ${name} TO ${role}`),
    // Also covers what is created between two migrations, such as the partition of a day.
    ...given.map(
      ([what, privileges]) => `ALTER DEFAULT PRIVILEGES IN SCHEMA ${name} GRANT ${privileges} ON ${what} TO ${role}`,
    ),
    `REVOKE INSERT, UPDATE, DELETE ON ${name}.migration FROM ${role}`,
  ];
}

function sharedGrants(name: string, grants: Record<string, string[]>): string[] {
  return Object.entries(grants).flatMap(([service, privileges]) => [
    `GRANT USAGE ON SCHEMA ${name} TO ${roleOf(service)}`,
    ...privileges.map((privilege) => `GRANT ${privilege} TO ${roleOf(service)}`),
  ]);
}
