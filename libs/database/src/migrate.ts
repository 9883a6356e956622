import { allSchemas } from './all-schemas.js';
import { grantSchema, rolesOf } from './grants.js';
import { untilLocked } from './large-index.js';
import { refuseOtherMigrations } from './older-layout.js';
import { logInFor } from './preparing-job.js';
import { type LockWaits, migrate } from './service-schema.js';

/** The migrations that ran, by schema, and whether services connect with roles of their own. */
export interface Migrated {
  ran: Record<string, string[]>;
  roles: boolean;
}

/**
 * Migrates every schema, and grants each service's role its rights as soon as the schema is migrated: a service that
 * waits for a migration may use what it created. Safe to run repeatedly, and concurrently.
 * @param waits of a migration for a lock
 * @param saysWait gets a sentence whenever one made way
 * @throws DatabaseRefused where it cannot log in, the database has an older layout, or a migration got no lock
 */
export async function migrateAll(
  url: string,
  extension: 'js' | 'ts' = 'js',
  waits?: LockWaits,
  saysWait?: (why: string) => void,
): Promise<Migrated> {
  const schemas = await allSchemas(extension);
  const client = await logInFor('migrate-all', 'DATABASE_URL', url);
  const ran: Record<string, string[]> = {};
  try {
    const db = { query: async (sql: string, values?: unknown[]) => (await client.query(sql, values)).rows };
    await refuseOtherMigrations(db, schemas);
    // Two processes that grant at once would conflict in the catalog.
    await untilLocked(db, 'gatehouse-migrate');
    const roles = await rolesOf(db, schemas);
    for (const owned of schemas) {
      ran[owned.schema.name] = await migrate(owned.schema, url, waits, saysWait);
      if (roles.length > 0) await grantSchema(db, owned, roles);
    }
    return { ran, roles: roles.length > 0 };
  } finally {
    await client.end();
  }
}
