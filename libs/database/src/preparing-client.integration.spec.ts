import { testDatabase, type TestDatabase } from '#libs/testing';
import { PreparingClient } from './preparing-client.js';

describe('a client that prepares statements', () => {
  let database: TestDatabase;
  let client: PreparingClient;

  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    client = new PreparingClient(database.url);
    await client.connect();
    await client.query(
      'DROP TABLE IF EXISTS thing; CREATE TABLE thing (id integer); INSERT INTO thing VALUES (1), (2)',
    );
  });
  afterEach(() => client.end());

  const select = 'SELECT * FROM thing WHERE id >= $1 ORDER BY id';
  const preparedTexts = async (): Promise<string[]> =>
    (await client.query<{ statement: string }>('SELECT statement FROM pg_prepared_statements')).rows.map(
      (row) => row.statement,
    );
  const ask = async (from = 1): Promise<unknown[]> => (await client.query(select, [from])).rows;
  const askOften = async (): Promise<void> => {
    for (let times = 0; times < 6; times += 1) expect(await ask(2)).toEqual([{ id: 2 }]);
  };

  it('prepares what is repeated often, and nothing that came a few times or has no parameters', async () => {
    for (let times = 0; times < 4; times += 1) await ask();
    for (let times = 0; times < 10; times += 1) await client.query('SELECT 1');
    expect(await preparedTexts()).toEqual([]);
    await askOften();
    expect(await preparedTexts()).toEqual([select]);
    expect(await ask(1)).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('answers in the new shape after a migration, also for statements prepared before it', async () => {
    await askOften();
    await client.query("ALTER TABLE thing ADD COLUMN name text DEFAULT 'x'");
    expect(await ask(2)).toEqual([{ id: 2, name: 'x' }]);
    expect(await ask(2)).toEqual([{ id: 2, name: 'x' }]);
  });

  it('answers after its statements were deallocated, as a pooler may do', async () => {
    await askOften();
    await client.query('DEALLOCATE ALL');
    expect(await ask(2)).toEqual([{ id: 2 }]);
  });

  it('leaves a transaction that a migration broke to its caller', async () => {
    await askOften();
    await client.query("ALTER TABLE thing ADD COLUMN name text DEFAULT 'x'");
    await client.query('BEGIN');
    await expect(ask(2)).rejects.toMatchObject({ code: '0A000' });
    await client.query('ROLLBACK');
    expect(await ask(2)).toEqual([{ id: 2, name: 'x' }]);
  });

  it('keeps errors unchanged', async () => {
    for (let times = 0; times < 6; times += 1) {
      await expect(client.query('SELECT 1 / $1::integer', [0])).rejects.toMatchObject({ code: '22012' });
    }
  });
});
