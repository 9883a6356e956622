import pg from 'pg';

/**
 * A connection whose end fails the query in flight and nothing else. Between checkout from the pool and the first
 * listener nothing handles its `error` event, and an unhandled `error` event ends the process.
 */
export class ResilientClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
