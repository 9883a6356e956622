import {
  type BreakableLink,
  openLink,
  restoreLogs,
  silenceLogs,
  testDatabase,
  type TestDatabase,
  testPool,
  until,
} from '#libs/testing';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { ChangeCache } from './change-cache.js';
import { ChangeListener } from './change-listener.js';
import { changeTriggers } from './change-triggers.js';

let database: TestDatabase;
let pool: pg.Pool;
let link: BreakableLink;
const db = { query: async (sql: string, values?: unknown[]) => (await pool.query(sql, values)).rows };
const listeners: ChangeListener[] = [];

beforeAll(async () => {
  silenceLogs();
  database = await testDatabase();
  pool = testPool(database.url, { max: 4 });
  link = await openLink(database.url);
  await pool.query('CREATE SCHEMA told');
  await pool.query('CREATE TABLE told.rule (id integer, project text, text text, seen integer DEFAULT 0)');
  const statements = changeTriggers('told', [{ table: 'rule', topic: 'rules', key: 'project', except: ['seen'] }]);
  for (const statement of statements) await pool.query(statement);
});
afterAll(async () => {
  await Promise.all(listeners.map((listener) => listener.onApplicationShutdown()));
  await link.close();
  await pool.end();
  await database.drop();
  restoreLogs();
});
beforeEach(() => pool.query('TRUNCATE told.rule'));

/** One replica: what it caches of projects, and how often it has read. */
interface Replica {
  listener: ChangeListener;
  texts(project: string): Promise<string>;
  reads: number;
}

function replica({ name = 'replica', url = database.url, keptMs = 3_600_000, unheardMs = 0 } = {}): Replica {
  const listener = new ChangeListener(db, { url, applicationName: name, schemas: ['told'] });
  listeners.push(listener);
  const cache = new ChangeCache<string>(listener, { topic: 'rules', maxKept: 10, keptMs, unheardMs });
  const made: Replica = {
    listener,
    reads: 0,
    texts: (project) =>
      cache.get(project, async () => {
        made.reads += 1;
        const rows = await db.query('SELECT text FROM told.rule WHERE project = $1 ORDER BY id', [project]);
        return rows.map(({ text }: { text: string }) => text).join();
      }),
  };
  listener.onApplicationBootstrap();
  return made;
}

const heard = ({ listener }: Replica): Promise<unknown> => until('it listens', async () => listener.listening);
const now = async (one: Replica, project: string, text: string): Promise<void> => {
  await one.listener.caughtUp();
  expect(await one.texts(project)).toBe(text);
};

describe('a value that a replica caches', () => {
  it('is read once, and again after each change that another connection commits, and only then', async () => {
    const one = replica();
    await heard(one);
    await now(one, 'a', '');
    await now(one, 'b', '');
    await pool.query(`INSERT INTO told.rule VALUES (1, 'a', 'first'), (2, 'a', 'second')`);
    await now(one, 'a', 'first,second');
    await pool.query(`UPDATE told.rule SET text = 'changed' WHERE id = 2`);
    await now(one, 'a', 'first,changed');
    await pool.query('DELETE FROM told.rule WHERE id = 1');
    await now(one, 'a', 'changed');
    const { reads } = one;
    await pool.query('UPDATE told.rule SET seen = seen + 1');
    await now(one, 'a', 'changed');
    await now(one, 'b', '');
    expect(one.reads).toBe(reads);
  });

  it('does not come from a read that began before a change was committed', async () => {
    const one = replica();
    await heard(one);
    const writer = await pool.connect();
    await writer.query('BEGIN');
    await writer.query(`INSERT INTO told.rule VALUES (1, 'a', 'committed')`);
    expect(await one.texts('a')).toBe('');
    await writer.query('COMMIT');
    writer.release();
    await now(one, 'a', 'committed');
  });
});

describe('a listening connection that ends', () => {
  const backend = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'ending-changes'`;

  it('clears the cache, and reconnects', async () => {
    const one = replica({ name: 'ending' });
    await heard(one);
    await now(one, 'a', '');
    const [{ pid }] = (await db.query(backend)) as [{ pid: number }];
    const lost = until('it no longer listens', async () => !one.listener.listening);
    await pool.query('SELECT pg_terminate_backend($1)', [pid]);
    await lost;
    // It hears nothing of this change, and nobody asks before it listens again.
    await pool.query(`INSERT INTO told.rule VALUES (1, 'a', 'meanwhile')`);
    await heard(one);
    await now(one, 'a', 'meanwhile');
    await pool.query(`UPDATE told.rule SET text = 'after'`);
    await now(one, 'a', 'after');
  });

  it('ends with its process, at whatever moment of its start it is stopped', async () => {
    for (const afterMs of [0, 0, 1, 2, 4, 8, 16]) {
      const { listener } = replica({ name: 'stopping' });
      if (afterMs > 0) await pause(afterMs);
      await listener.onApplicationShutdown();
      expect(listener.listening).toBe(false);
    }
  });

  it('is given up when it does not respond, however open it seems', async () => {
    const one = replica({ url: link.url });
    await heard(one);
    await now(one, 'a', '');
    link.hold();
    await pool.query(`INSERT INTO told.rule VALUES (1, 'a', 'unheard')`);
    await now(one, 'a', 'unheard');
    expect(one.listener.listening).toBe(false);
    link.mend();
    await heard(one);
  });
});

describe('where notifications do not come through', () => {
  it('a value is cached only for its short lifetime', async () => {
    // LISTEN succeeds, but nothing is ever heard, as behind a pooler that shares connections by transaction.
    const elsewhere = new URL(database.url);
    elsewhere.pathname = '/postgres';
    const [strict, lax] = [replica({ url: elsewhere.href }), replica({ url: elsewhere.href, unheardMs: 3_600_000 })];
    await until('both have been connected', async () => {
      const rows = await db.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = 'postgres' AND application_name = 'replica-changes' AND query LIKE 'LISTEN%'`,
      );
      return rows.length === 2;
    });
    for (const one of [strict, lax]) expect(await one.texts('a')).toBe('');
    await pool.query(`INSERT INTO told.rule VALUES (1, 'a', 'new')`);
    await now(strict, 'a', 'new');
    await now(lax, 'a', '');
    expect([strict, lax].map(({ listener }) => listener.listening)).toEqual([false, false]);
  });
});
