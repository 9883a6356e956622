import { testDatabase, type TestDatabase } from '#libs/testing';
import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrate, type ServiceSchema } from './service-schema.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.drop());

class First1000000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Long enough for the other one to arrive while it runs.
    await runner.query('CREATE TABLE fresh.first (id integer)');
    await runner.query('SELECT pg_sleep(0.3)');
  }
  async down(): Promise<void> {
    throw new Error('not here');
  }
}
class Second1000000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE fresh.second (id integer)');
  }
  async down(): Promise<void> {
    throw new Error('not here');
  }
}
class Broken1000000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE fresh.third (id integer)');
    await runner.query('SELECT 1 / 0');
  }
  async down(): Promise<void> {
    throw new Error('not here');
  }
}

const schema: ServiceSchema = { name: 'fresh', entities: [], migrations: [First1000000000000, Second1000000000001] };

describe('migrating', () => {
  it('runs every migration once when several processes start concurrently', async () => {
    const ran = await Promise.all([1, 2, 3].map(() => migrate(schema, database.url)));
    expect(ran.flat().toSorted()).toEqual(['First1000000000000', 'Second1000000000001']);
    expect(ran.filter((names) => names.length === 0)).toHaveLength(2);
    expect(await migrate(schema, database.url)).toEqual([]);
  });

  it('leaves nothing of a migration that fails, and lets the next process try', async () => {
    await migrate(schema, database.url);
    const broken = { ...schema, migrations: [...schema.migrations, Broken1000000000002] };
    await expect(migrate(broken, database.url)).rejects.toThrow('division by zero');
    await expect(migrate(broken, database.url)).rejects.toThrow('division by zero');
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query(
      "SELECT to_regclass('fresh.third') AS third, to_regclass('fresh.second') AS second",
    );
    await client.end();
    expect(rows).toEqual([{ third: null, second: 'fresh.second' }]);
  });
});
