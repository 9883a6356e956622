import { testDatabase, type TestDatabase, until } from '#libs/testing';
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

class Altered1000000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE fresh.first ADD COLUMN name text');
  }
  async down(): Promise<void> {
    throw new Error('not here');
  }
}
class Dropped1000000000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE fresh.second');
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

  it('lets those through who need its table while another transaction has it, and is done once that ends', async () => {
    await migrate(schema, database.url);
    const [reader, other] = [0, 1].map(
      () => new pg.Client({ connectionString: database.url, application_name: 'report' }),
    );
    await Promise.all([reader!.connect(), other!.connect()]);
    await reader!.query('BEGIN');
    await reader!.query('SELECT count(*) FROM fresh.first');
    const altered = { ...schema, migrations: [...schema.migrations, Altered1000000000003] };
    const waits: string[] = [];
    const done = migrate(altered, database.url, { onceMs: 200, totalMs: 60_000 }, (why) => waits.push(why));
    await until('it has made way', () => waits.length >= 2);
    expect(waits[0]).toMatch(/^A migration of fresh waits for a lock. .* report \(pid \d+\), since /);
    await other!.query("SET statement_timeout = '1500ms'");
    await other!.query('SELECT count(*) FROM fresh.first');
    await reader!.query('COMMIT');
    expect(await done).toEqual(['Altered1000000000003']);
    await Promise.all([reader!.end(), other!.end()]);
  });

  it('is refused in words when it gets no lock in time, and has changed nothing', async () => {
    const reader = new pg.Client({ connectionString: database.url });
    await reader.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT count(*) FROM fresh.second');
    const dropped = { ...schema, migrations: [...schema.migrations, Altered1000000000003, Dropped1000000000004] };
    const refused = migrate(dropped, database.url, { onceMs: 100, totalMs: 1 });
    await expect(refused).rejects.toThrow(/waits for a lock.*End that, then migrate/);
    expect((await reader.query("SELECT to_regclass('fresh.second') AS found")).rows[0].found).not.toBeNull();
    await reader.end();
  });
});
