import { testDatabase, type TestDatabase } from '#libs/testing';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { databaseState } from '../../scripts/launcher/database-state.mjs';

describe('the state of roles and migrations', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-state-'));
  let database: TestDatabase;
  let client: pg.Client;
  const state = (isOurs = true, passwords = 'first') =>
    databaseState({ dataDir, url: database.url, isOurs, passwords });

  beforeAll(async () => {
    database = await testDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('is current after they were done, on our own server', async () => {
    expect(await state().holds()).toBe(false);
    await state().remember();
    expect(await state().holds()).toBe(true);
    expect(await state(false).holds()).toBe(false);
    expect(await state(true, 'other').holds()).toBe(false);
  });

  it.each([
    ['a migration is missing', `DELETE FROM router.migration WHERE id = (SELECT max(id) FROM router.migration)`],
    ['a schema is gone', 'DROP SCHEMA vault CASCADE'],
    ['a service may no longer use its schema', 'REVOKE ALL ON SCHEMA engine FROM gatehouse_engine'],
  ])('is not current when %s', async (_, change) => {
    await state().remember();
    await client.query(change);
    expect(await state().holds()).toBe(false);
  });
});
