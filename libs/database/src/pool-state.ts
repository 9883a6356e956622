import type pg from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';

/** Connections of one process. */
export interface PoolState {
  used: number;
  idle: number;
  /** Statements that wait for a connection. */
  waiting: number;
  /** As many at most. */
  most: number;
}

/** Null before it is connected. */
export function poolState(database: DataSource): PoolState | null {
  if (!database.isInitialized) return null;
  const { totalCount, idleCount, waitingCount, options }: pg.Pool = (database.driver as PostgresDriver).master;
  return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount, most: options.max };
}
