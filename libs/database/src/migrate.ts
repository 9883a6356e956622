import pg from 'pg';
import { allSchemas } from './all-schemas.js';
import { grantSchemas } from './grants.js';
import { refuseMovedTables } from './older-layout.js';
import { migrate } from './service-schema.js';

/** The migrations that ran by schema, and whether services connect by roles of their own. */
export interface Migrated {
  ran: Record<string, string[]>;
  roles: boolean;
}

/**
 * Migrates every schema, then grants each service's role what it may do there; both may run any number of times.
 * @throws Error in a sentence where the database is of an older layout
 */
export async function migrateAll(url: string, extension: 'js' | 'ts' = 'js'): Promise<Migrated> {
  const schemas = await allSchemas(extension);
  const ran: Record<string, string[]> = {};
  const client = new pg.Client({ connectionString: url, application_name: 'migrate-all' });
  await client.connect();
  try {
    const db = { query: async (sql: string, values?: unknown[]) => (await client.query(sql, values)).rows };
    await refuseMovedTables(db);
    for (const { schema } of schemas) ran[schema.name] = await migrate(schema, url);
    // Two that grant at once would meet in the catalog.
    await db.query("SELECT pg_advisory_lock(hashtext('gatehouse-grants'))");
    return { ran, roles: await grantSchemas(db, schemas) };
  } finally {
    await client.end();
  }
}
