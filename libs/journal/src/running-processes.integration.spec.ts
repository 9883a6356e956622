import { Database, dataSourceOptions } from '#libs/database';
import { testDatabase, type TestDatabase, until } from '#libs/testing';
import { ProcessPresence, runningBuilds } from './running-processes.js';

let database: TestDatabase;
let db: Database;
const open: ProcessPresence[] = [];

beforeAll(async () => {
  database = await testDatabase();
  const schema = { name: 'public', entities: [], migrations: [] };
  db = await new Database(
    dataSourceOptions(schema, { url: database.url, poolSize: 2, applicationName: 'test' }),
  ).initialize();
});
afterAll(async () => {
  for (const each of open) await each.onModuleDestroy();
  await db.destroy();
  await database.drop();
});

async function start(service: string, build: string): Promise<ProcessPresence> {
  const presence = new ProcessPresence(db, service, build);
  open.push(presence);
  await presence.onModuleInit();
  return presence;
}

it('each build is named once with its services, from the moment at which its first process starts', async () => {
  await start('router', 'one');
  await start('router', 'one');
  await start('engine', 'one');
  expect(await runningBuilds(db)).toEqual([{ build: 'one', services: ['engine', 'router'] }]);
  await start('engine', 'two');
  expect(await runningBuilds(db)).toEqual([
    { build: 'one', services: ['engine', 'router'] },
    { build: 'two', services: ['engine'] },
  ]);
});

it('a process that runs says so again before it counts as ended, and one that is silent counts no more', async () => {
  const running = await start('portal', 'three');
  running.onApplicationBootstrap();
  const has = async (build: string) => (await runningBuilds(db)).some((each) => each.build === build);
  await db.query(`UPDATE journal.process SET seen_at = now() - interval '21 seconds'`);
  expect(await has('two')).toBe(false);
  await until('it says so again', () => has('three'), 10_000);
  expect(await has('two')).toBe(false);
});

it('what ended long ago is forgotten when another process starts', async () => {
  await db.query(`UPDATE journal.process SET seen_at = now() - interval '2 hours' WHERE build = 'one'`);
  await start('portal', 'four');
  const rows = await db.query(`SELECT FROM journal.process WHERE build = 'one'`);
  expect(rows).toEqual([]);
});
