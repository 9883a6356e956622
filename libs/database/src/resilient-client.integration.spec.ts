import { testDatabase, type TestDatabase } from '#libs/testing';
import type pg from 'pg';
import { DataSource } from 'typeorm';
import { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { dataSourceOptions } from './service-schema.js';

/** The pool that typeorm makes. */
function poolOf({ driver }: DataSource): pg.Pool {
  if (!(driver instanceof PostgresDriver)) throw new Error('the driver is not that of Postgres');
  return driver.master;
}

describe('a connection that ends without an error listener', () => {
  let database: TestDatabase;
  let source: DataSource;

  beforeAll(async () => {
    database = await testDatabase();
    const schema = { name: 'public', entities: [], migrations: [] };
    const settings = { url: database.url, poolSize: 2, applicationName: 'resilient' };
    source = await new DataSource(dataSourceOptions(schema, settings)).initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  it('fails its query, and neither the process nor the pool', async () => {
    const client = await poolOf(source).connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const ended = new Promise((resolve) => client.once('end', resolve));
    await source.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    await ended;
    await expect(client.query('SELECT 1')).rejects.toThrow();
    client.release(true);
    expect(await source.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('leaves the pool when its server takes no writes any more, so that the next one finds the new primary', async () => {
    const client = await poolOf(source).connect();
    await client.query('SET default_transaction_read_only = on');
    const ended = new Promise((resolve) => client.once('end', resolve));
    await expect(client.query('CREATE TABLE never ()')).rejects.toMatchObject({ code: '25006' });
    await ended;
    client.release();
    await source.query('CREATE TABLE written ()');
  });
});
