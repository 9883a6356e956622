import type { Queryable } from './partitions.js';
import { ownerRole } from './role-names.js';

/** Its message is a sentence for whoever starts the system. */
export class OlderLayout extends Error {}

/**
 * Where tables lay before, no migration moves them from: what they hold would be lost, or services would answer 503 for good.
 * @throws OlderLayout, which says what to do
 */
export async function refuseMovedTables(db: Queryable): Promise<void> {
  const rows = (await db.query("SELECT 1 WHERE to_regclass('router.session') IS NOT NULL")) as unknown[];
  if (rows.length > 0) throw olderLayout('the router had the sessions and the runs');
}

/** @throws OlderLayout: schemas of another owner are from before each service had a role */
export async function refuseOtherOwner(db: Queryable, names: string[]): Promise<void> {
  const rows = (await db.query(
    `SELECT nspname AS name, nspowner::regrole::text AS owner FROM pg_namespace
      WHERE nspname = ANY($1) AND nspowner::regrole::text <> $2 ORDER BY 1`,
    [names, ownerRole],
  )) as { name: string; owner: string }[];
  const [first] = rows;
  if (first) throw olderLayout(`one role had everything (${first.owner} owns the schema ${first.name})`);
}

function olderLayout(what: string): OlderLayout {
  return new OlderLayout(
    `This database was made by an earlier version of Gatehouse, in which ${what}: nothing converts it, so start with an empty database, or delete the data with npm run reset.`,
  );
}
