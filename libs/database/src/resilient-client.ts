import pg from 'pg';

/**
 * A connection whose end is an error of the query in flight, and no more. Between its checkout from the pool and its first
 * listener nobody hears of its end, and an `error` event that nobody hears ends the process.
 */
export class ResilientClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
