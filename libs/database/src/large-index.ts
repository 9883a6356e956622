import { setTimeout as pause } from 'node:timers/promises';
import type { Queryable } from './partitions.js';

export interface LargeIndex {
  /** With its schema, in lower case: `engine.turn_of_session`. */
  name: string;
  /** What follows ON: `engine.turn (session_id, id) WHERE session_id IS NOT NULL`. */
  on: string;
  unique?: true;
}

const askEveryMs = 500;

/**
 * Builds an index while its table is read and written (`CREATE INDEX CONCURRENTLY`). For migrations with `transaction =
 * false` that do nothing else: they are run again from their beginning when they were killed, so what is there already
 * stays, and what a killed build has left is dropped. Waits for transactions that are older than the build, for as long as
 * they last: nobody waits behind it. Not for a partitioned table, which Postgres refuses.
 */
export async function buildLargeIndex(runner: Queryable, { name, on, unique }: LargeIndex): Promise<void> {
  await alone(runner, name, async () => {
    const [found] = (await runner.query('SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)', [
      name,
    ])) as { valid: boolean }[];
    if (found?.valid) return;
    if (found) await runner.query(`DROP INDEX CONCURRENTLY ${name}`);
    const own = name.split('.').at(-1);
    await runner.query(`CREATE ${unique ? 'UNIQUE ' : ''}INDEX CONCURRENTLY ${own} ON ${on}`);
  });
}

/** Drops an index while its table is read and written. For the migrations that `buildLargeIndex` is for. */
export async function dropLargeIndex(runner: Queryable, name: string): Promise<void> {
  await alone(runner, name, () => runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`));
}

/**
 * Postgres goes on with a build whose client was killed. Its session has this lock until it ends; the lock of the
 * migrations is on a connection that ends at once.
 */
async function alone(runner: Queryable, name: string, work: () => Promise<unknown>): Promise<void> {
  const key = `gatehouse-index-${name}`;
  const [before] = (await runner.query("SELECT current_setting('lock_timeout') AS timeout")) as { timeout: string }[];
  await untilLocked(runner, key);
  // Its locks keep nobody from reading or writing, and each wait that is given up leaves an index to build anew.
  await runner.query('SET lock_timeout = 0');
  const [result] = await Promise.allSettled([work()]);
  const [restored] = await Promise.allSettled([
    runner
      .query("SELECT set_config('lock_timeout', $1, false)", [before?.timeout])
      .then(() => runner.query('SELECT pg_advisory_unlock(hashtext($1))', [key])),
  ]);
  // Where the connection has ended, the first one says why.
  for (const each of [result, restored]) if (each.status === 'rejected') throw each.reason;
}

interface Building {
  name: string | null;
  phase: string | null;
  done: string;
  total: string;
  blockers: string | null;
}

/**
 * What the building or dropping of an index in this database does, and whom it waits for, for who waits for it; null where
 * neither happens. Needs a connection of the builder's role. Postgres shows no progress of dropping one.
 */
export async function buildingOf(db: Queryable): Promise<string | null> {
  const [build] = (await db.query(
    `SELECT coalesce(nullif(p.index_relid, 0)::regclass::text,
                     substring(a.query FROM 'INDEX CONCURRENTLY (?:IF EXISTS )?([\\w."]+)')) AS name, p.phase,
            coalesce(p.blocks_done, 0) AS done, greatest(p.blocks_total, 1) AS total,
            (SELECT string_agg(format('%s (pid %s%s)', coalesce(nullif(b.application_name, ''), b.usename), b.pid,
                                      to_char(b.xact_start AT TIME ZONE 'UTC', '", since "YYYY-MM-DD"T"HH24:MI:SS"Z"')), ' and ')
               FROM pg_stat_activity b WHERE b.pid = ANY(pg_blocking_pids(a.pid))) AS blockers
       FROM pg_stat_activity a LEFT JOIN pg_stat_progress_create_index p ON p.pid = a.pid AND p.datid = a.datid
      WHERE a.datname = current_database() AND a.state = 'active' AND a.pid <> pg_backend_pid()
        AND a.query ~ '^(?:CREATE (?:UNIQUE )?|DROP )INDEX CONCURRENTLY '`,
  )) as Building[];
  if (!build) return null;
  const share = Math.floor((100 * Number(build.done)) / Number(build.total));
  const what =
    build.phase === null
      ? `The index ${build.name} is dropped, and its table is read and written meanwhile.`
      : `The index ${build.name} is built, and its table is read and written meanwhile: ${build.phase}, ${share} % of it.`;
  return build.blockers === null ? what : `${what} It waits for the transaction of ${build.blockers} to end.`;
}

/**
 * Takes an advisory lock for this session, by asking for it now and then: a statement that waits for one is a
 * transaction, for whose end a build of an index waits, which may be what the lock is waited for.
 */
export async function untilLocked(db: Queryable, key: string): Promise<void> {
  for (;;) {
    const [asked] = (await db.query('SELECT pg_try_advisory_lock(hashtext($1)) AS locked', [key])) as {
      locked: boolean;
    }[];
    if (asked?.locked) return;
    await pause(askEveryMs);
  }
}
