import type { OwnedSchema } from './all-schemas.js';
import type { Queryable } from './partitions.js';
import { DatabaseRefused } from './preparing-job.js';
import { ownerRole } from './role-names.js';

/**
 * Of two releases, the newer one knows every migration of the older one. If neither the database nor this build knows
 * all of the other's, no migration leads from one to the other.
 * @throws DatabaseRefused, which says what to do
 */
export async function refuseOtherMigrations(db: Queryable, schemas: OwnedSchema[]): Promise<void> {
  for (const { schema } of schemas) {
    const done = await migrationsOf(db, schema.name);
    const known = schema.migrations.map(({ name }) => name);
    const [other] = done.filter((name) => !known.includes(name));
    if (other && !known.every((name) => done.includes(name)))
      throw olderLayout(`other migrations made the schema ${schema.name} (${other})`);
  }
}

/** Empty where the current role may not read them: the role that migrates may. */
async function migrationsOf(db: Queryable, schema: string): Promise<string[]> {
  const readable = (await db.query(
    `SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relname = 'migration' AND has_schema_privilege(n.oid, 'USAGE')
        AND has_table_privilege(c.oid, 'SELECT')`,
    [schema],
  )) as unknown[];
  if (readable.length === 0) return [];
  const rows = (await db.query(`SELECT name FROM "${schema}".migration ORDER BY id`)) as { name: string }[];
  return rows.map(({ name }) => name);
}

/** @throws DatabaseRefused: schemas with another owner date from before each service had a role */
export async function refuseOtherOwner(db: Queryable, names: string[]): Promise<void> {
  const rows = (await db.query(
    `SELECT nspname AS name, nspowner::regrole::text AS owner FROM pg_namespace
      WHERE nspname = ANY($1) AND nspowner::regrole::text <> $2 ORDER BY 1`,
    [names, ownerRole],
  )) as { name: string; owner: string }[];
  const [first] = rows;
  if (first) throw olderLayout(`one role had everything (${first.owner} owns the schema ${first.name})`);
}

function olderLayout(what: string): DatabaseRefused {
  return new DatabaseRefused(
    `This database was made by an earlier version of Gatehouse, in which ${what}. It cannot be converted: start with an empty database, or delete the data with npm run reset.`,
  );
}
