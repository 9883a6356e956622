import pg from 'pg';
import { noteBroken } from './failed-statement.js';

/** SQLSTATE read_only_sql_transaction. */
const readOnlyCode = '25006';

/**
 * A connection whose end fails the query in flight and nothing else. Between checkout from the pool and the first
 * listener nothing handles its `error` event, and an unhandled `error` event ends the process.
 */
export class ResilientClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
    this.connection.on('error', noteBroken);
    // The server has become a replica: the pool drops a connection that ends, and the next one finds the new primary.
    this.connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === readOnlyCode) setImmediate(() => void this.end().catch(() => undefined));
    });
  }
}
