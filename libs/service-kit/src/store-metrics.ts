import type { Database } from '#libs/database';
import type { JobClient } from '#libs/queue';
import { Gauge, type Registry } from 'prom-client';

interface PostgresUse {
  connections: number;
  most_connections: number;
  /** Of type `bigint`, which the driver reads as text. */
  database_bytes: string;
  wal_kept_bytes: string;
}

/**
 * Needs no privilege: of other roles' connections one sees no kind, but that they have a role, which Postgres' own
 * processes have not. What Postgres keeps for a slot tells how far a replica is behind, too: `pg_stat_replication` shows
 * a role without privileges nothing but names.
 */
const postgresUse = `
  SELECT (SELECT count(*)::int FROM pg_stat_activity WHERE usesysid IS NOT NULL) AS connections,
         current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
           AS most_connections,
         pg_database_size(current_database()) AS database_bytes,
         (SELECT coalesce(max(CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_lsn() - restart_lsn END), 0)::bigint
            FROM pg_replication_slots) AS wal_kept_bytes`;

/**
 * What is used of what the stores have, read at each scrape. One service exports it, since it is the same for all. Of a
 * store that does not answer there are no values.
 */
export function storeMetrics(registry: Registry, database: Database, jobs: Pick<JobClient, 'memory'>): void {
  let reading: Promise<PostgresUse[]> | null = null;
  // Gauges are collected concurrently: they share one reading.
  const use = (): Promise<PostgresUse[]> =>
    (reading ??= database
      .query<PostgresUse[]>(postgresUse)
      .catch(() => [])
      .finally(() => {
        reading = null;
      }));
  const bytes = (name: string, help: string, of: (read: PostgresUse) => string): void => {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      collect: async () => {
        const rows = await use();
        gauge.remove();
        for (const row of rows) gauge.set(Number(of(row)));
      },
    });
  };
  const ofLimit = (name: string, help: string, read: () => Promise<{ used: number; most: number } | null>): void => {
    const gauge: Gauge<'state'> = new Gauge({
      name,
      help,
      registers: [registry],
      labelNames: ['state'],
      collect: async () => {
        const found = await read();
        gauge.reset();
        for (const [state, value] of Object.entries(found ?? {})) gauge.set({ state }, value);
      },
    });
  };
  bytes('gatehouse_postgres_database_bytes', 'Size of the database', (row) => row.database_bytes);
  bytes(
    'gatehouse_postgres_wal_kept_bytes',
    'WAL that Postgres keeps for the replication slot that is furthest behind',
    (row) => row.wal_kept_bytes,
  );
  ofLimit(
    'gatehouse_postgres_server_connections',
    'Connections of all clients, and most: what the server allows',
    async () => {
      const [row] = await use();
      return row ? { used: row.connections, most: row.most_connections } : null;
    },
  );
  ofLimit(
    'gatehouse_redis_memory_bytes',
    'Memory of the master that has used most of it, and most: its maxmemory; absent: it has none',
    () => jobs.memory().catch(() => null),
  );
}
