import type pg from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';

/** Connections of one process. */
export interface PoolState {
  used: number;
  idle: number;
  /** Statements that wait for a connection. */
  waiting: number;
  /** The size of the pool. */
  most: number;
}

/** Null before the pool is connected. */
export function poolState(database: DataSource): PoolState | null {
  if (!database.isInitialized) return null;
  const { totalCount, idleCount, waitingCount, options }: pg.Pool = (database.driver as PostgresDriver).master;
  return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount, most: options.max };
}
