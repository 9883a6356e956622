import pg from 'pg';

/** A pool whose connections may be cut, as when its database is dropped before they are closed. */
export function testPool(connectionString: string, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString, ...options });
  // A query in flight fails on its own.
  pool.on('error', () => undefined);
  return pool;
}
