import { newId } from '#libs/contracts';
import { Database } from '#libs/database';
import { testDatabase, type TestDatabase } from '#libs/testing';
import { listDeadLetters, type DeadLetterQuery } from './dead-letters.js';
import { entriesSince } from './entries-since.js';
import type { JournalEntry } from './entry.js';
import { type EventQuery, listEvents } from './event-list.js';
import { Journal } from './journal.js';
import { timeline } from './timeline.js';

let database: TestDatabase;
let db: Database;
let journal: Journal;
const failures: number[] = [];

beforeAll(async () => {
  database = await testDatabase();
  db = await new Database({ type: 'postgres', url: database.url, poolSize: 4 }).initialize();
  journal = new Journal(
    db,
    'router',
    (_error, entries) => failures.push(entries),
    () => undefined,
  );
});
afterAll(async () => {
  await journal.beforeApplicationShutdown();
  await db.destroy();
  await database.drop();
});
beforeEach(() => db.query('TRUNCATE journal.entry, journal.dead_letter, ingress.receipt'));

const mine = { organization_id: 'org_1', project_id: 'prj_1', app_id: 'app_1' };
const entry = (receipt_id: string, change: Partial<JournalEntry> = {}): JournalEntry => ({
  ...mine,
  receipt_id,
  stage: 'routed',
  outcome: 'routed',
  ...change,
});
const append = (entries: JournalEntry[]): Promise<void[]> => Promise.all(entries.map((one) => journal.appendNow(one)));
/** A receipt as the ingress stores it. */
const received = async (id = newId('evt'), appId = 'app_1', projectId = 'prj_1'): Promise<string> => {
  await db.query(
    `INSERT INTO ingress.receipt VALUES ($1, now(), 'org_1', $3, $2, 'accepted', null, 'POST', '/', '{}', '\\x616263', 'hmac', '::1')`,
    [id, appId, projectId],
  );
  return id;
};
const events: EventQuery = {
  organizationId: 'org_1',
  projectId: 'prj_1',
  limit: 10,
  order: 'desc',
  cursor: null,
  appId: null,
  outcome: null,
  fromId: null,
  toId: null,
};
const letters: DeadLetterQuery = {
  organizationId: 'org_1',
  projectId: 'prj_1',
  appId: null,
  stage: null,
  reason: null,
  state: null,
  receiptId: null,
  from: null,
  to: null,
  cursor: null,
  order: 'desc',
  limit: 10,
};
const idsOf = async (query: Partial<EventQuery>): Promise<string[]> =>
  (await listEvents(db, { ...events, ...query })).map(({ id }) => id);

describe('the journal', () => {
  it('shows what happened to a receipt, oldest first, with the receipt itself first', async () => {
    const id = await received();
    const at = (ms: number): Date => new Date(Date.now() + ms);
    await append([
      entry(id, { at: at(2_000), reason: 'trigger', subject_id: 'run_1', duration_ms: 1.5, detail: { runs: 1 } }),
      entry(id, { stage: 'parsed', outcome: 'ok', at: at(1_000), attempt: 2 }),
      entry(newId('evt')),
    ]);
    const found = await timeline(db, 'org_1', 'prj_1', id);
    expect(found.map(({ stage }) => stage)).toEqual(['received', 'parsed', 'routed']);
    expect(found[0]).toMatchObject({
      service: 'webhook-ingress',
      terminal: false,
      detail: { bytes: 3, scheme: 'hmac', from: '::1' },
    });
    expect(found[1]).toMatchObject({ service: 'router', terminal: false, attempt: 2, reason: null, detail: null });
    expect(found[2]).toMatchObject({
      terminal: true,
      reason: 'trigger',
      subject_id: 'run_1',
      duration_ms: 1.5,
      detail: { runs: 1 },
    });
    expect(await timeline(db, 'org_1', 'prj_2', id)).toEqual([]);
    expect(await timeline(db, 'org_2', 'prj_1', id)).toEqual([]);
  });

  it('shows steps that share the row of a later one in their place, with all that they say', async () => {
    const id = await received();
    const [parsed, failed, routed] = [1_000, 2_000, 3_000].map((ms) => new Date(Date.now() + ms));
    const step = entry(id, {
      stage: 'parsed',
      outcome: 'ok',
      service: 'adapter-gateway',
      at: parsed,
      duration_ms: 1.5,
    });
    const checked = entry(id, { stage: 'verified', outcome: 'ok', reason: 'hmac', attempt: 2, at: parsed });
    const detail = { messages: 1 };
    await append([
      entry(id, { at: routed, detail, before: [checked, { ...step, detail }] }),
      entry(id, { at: failed, outcome: 'retrying' }),
    ]);
    expect(await db.query('SELECT FROM journal.entry')).toHaveLength(2);
    const shown = (await timeline(db, 'org_1', 'prj_1', id)).slice(1);
    expect(shown).toMatchObject([
      {
        stage: 'verified',
        outcome: 'ok',
        reason: 'hmac',
        attempt: 2,
        duration_ms: null,
        detail: null,
        service: 'router',
      },
      {
        stage: 'parsed',
        outcome: 'ok',
        duration_ms: 1.5,
        service: 'adapter-gateway',
        terminal: false,
        subject_id: null,
      },
      { stage: 'routed', outcome: 'retrying' },
      { stage: 'routed', outcome: 'routed', terminal: true },
    ]);
    expect(shown.map((one) => one.at)).toEqual([parsed, parsed, failed, routed]);
    expect(shown.map((one) => one.detail)).toEqual([null, detail, null, detail]);
    const { entries } = await entriesSince(db, new Date(Date.now() + 2_500), 10, null);
    expect(entries.map(({ stage, row_at: rowAt }) => [stage, rowAt])).toEqual([
      ['verified', routed],
      ['parsed', routed],
      ['routed', routed],
    ]);
  });

  it('knows which receipts have ended: the end of a turn or delivery does not count', async () => {
    const [ended, open, turn] = [newId('evt'), newId('evt'), newId('evt')];
    await append([
      entry(ended),
      entry(open, { stage: 'parsed', outcome: 'retrying' }),
      entry(turn, { stage: 'delivery', outcome: 'dead', subject_id: 'dlv_1' }),
    ]);
    expect(await journal.endedAmong([ended, open, turn, newId('evt')])).toEqual(new Set([ended]));
    expect(await journal.endedAmong([])).toEqual(new Set());
  });

  it('knows which receipts had entries lately', async () => {
    const [late, long] = [newId('evt'), newId('evt')];
    await append([entry(late), entry(long, { at: new Date(Date.now() - 60_000) })]);
    expect(await journal.heardOfWithin([late, long], 30_000)).toEqual(new Set([late]));
    expect(await journal.heardOfWithin([late, long], 90_000)).toEqual(new Set([late, long]));
  });

  it('keeps a dead letter once while it is open, at whichever stage, with its error', async () => {
    const id = newId('evt');
    const died = entry(id, { stage: 'parsed', outcome: 'dead', reason: 'gone', detail: { error: 'the App is gone' } });
    await append([died, died]);
    await append([died, entry(id, { stage: 'delivery', outcome: 'dead', subject_id: 'dlv_1' })]);
    const found = await listDeadLetters(db, letters);
    expect(found.map(({ stage, subject_id, error, state }) => [stage, subject_id, error, state])).toEqual(
      expect.arrayContaining([
        ['parsed', null, 'the App is gone', 'open'],
        ['delivery', 'dlv_1', null, 'open'],
      ]),
    );
    expect(found).toHaveLength(2);
    expect(await listDeadLetters(db, { ...letters, projectId: 'prj_2' })).toEqual([]);
    expect(await listDeadLetters(db, { ...letters, reason: 'gone' })).toHaveLength(1);
  });

  it('lists receipts and events without one page by page, from either end, each with its last ending', async () => {
    const all: string[] = [];
    for (let n = 0; n < 6; n += 1) {
      // Refused requests and runs by API have no receipt: their first entry takes its place.
      const id = newId('evt');
      all.unshift(id);
      if (n % 2 === 0) await received(id, n === 4 ? 'app_2' : 'app_1');
      else await append([entry(id, { stage: 'received', outcome: n === 3 ? 'refused' : 'accepted' })]);
    }
    await received(newId('evt'), 'app_1', 'prj_2');
    await append([
      entry(all[0]!, { outcome: 'no_match', at: new Date(Date.now() - 9_000) }),
      entry(all[0]!, { outcome: 'routed' }),
      entry(all[1]!, { outcome: 'no_match', reason: 'no_trigger' }),
    ]);
    const pages = [await idsOf({ limit: 4 })];
    pages.push(await idsOf({ limit: 4, cursor: pages[0]!.at(-1)! }));
    expect(pages).toEqual([all.slice(0, 4), all.slice(4)]);
    const oldest = await idsOf({ limit: 4, order: 'asc' });
    expect([oldest, await idsOf({ limit: 4, order: 'asc', cursor: oldest.at(-1)! })]).toEqual([
      all.slice(2).toReversed(),
      all.slice(0, 2).toReversed(),
    ]);
    const [first, second, third] = await listEvents(db, events);
    expect([first?.outcome, second?.outcome, second?.reason, third?.outcome]).toEqual([
      'routed',
      'no_match',
      'no_trigger',
      'refused',
    ]);
    expect(await idsOf({ outcome: 'routed' })).toEqual([all[0]]);
    expect(await idsOf({ outcome: 'no_match' })).toEqual([all[1]]);
    expect(await idsOf({ outcome: 'refused' })).toEqual([all[2]]);
    expect(await idsOf({ appId: 'app_2' })).toEqual([all[1]]);
    expect(await idsOf({ fromId: all[3]!, toId: all[1]! })).toEqual([all[2], all[3]]);
    expect(await idsOf({ projectId: 'prj_3' })).toEqual([]);
  });

  it('returns the entries since a time, receipts included, of their project or of all', async () => {
    const since = new Date(Date.now() - 5_000);
    const id = await received();
    await append([
      entry(id),
      entry(newId('evt'), { at: new Date(Date.now() - 10_000) }),
      entry(newId('evt'), { project_id: 'prj_2' }),
    ]);
    const scope = { organizationId: 'org_1', projectId: 'prj_1' };
    const { entries } = await entriesSince(db, since, 10, scope);
    expect(entries.map((one) => [one.receipt_id, one.stage]).toSorted()).toEqual([
      [id, 'received'],
      [id, 'routed'],
    ]);
    expect(await entriesSince(db, since, 4, null)).toMatchObject({ entries: { length: 3 }, isFull: false });
    expect(await entriesSince(db, since, 1, null)).toMatchObject({ entries: { length: 1 }, isFull: true });
  });

  it('reports an entry that cannot be written, rejects its waiting caller, and writes the entries beside it', async () => {
    failures.length = 0;
    // Larger than a Postgres integer.
    const bad = entry(newId('evt'), { attempt: 3_000_000_000 });
    const [before, after] = [newId('evt'), newId('evt')];
    const written = [journal.appendNow(entry(before)), journal.appendNow(entry(after))];
    journal.append(bad);
    await expect(journal.appendNow(bad)).rejects.toThrow();
    await Promise.all(written);
    expect(failures).toEqual([1, 1]);
    expect(await journal.endedAmong([before, after])).toEqual(new Set([before, after]));
  });

  it('writes a detail without the characters that Postgres refuses', async () => {
    const id = newId('evt');
    await append([entry(id, { detail: { error: 'a\0b' } })]);
    expect((await timeline(db, 'org_1', 'prj_1', id))[0]?.detail).toEqual({ error: 'a\ufffdb' });
  });

  it('writes what was appended before it stops', async () => {
    const ids = Array.from({ length: 1_200 }, () => newId('evt'));
    for (const id of ids) journal.append(entry(id));
    await journal.beforeApplicationShutdown();
    expect((await journal.endedAmong(ids)).size).toBe(1_200);
  });

  it('drops what is older than the retention', async () => {
    await db.query(
      `CREATE TABLE journal.entry_20010101 PARTITION OF journal.entry FOR VALUES FROM ('2001-01-01') TO ('2001-01-02')`,
    );
    await append([entry('evt_old', { outcome: 'dead', at: new Date('2001-01-01T10:00:00Z') }), entry('evt_new')]);
    await journal.turnPartitions(30);
    expect(await journal.endedAmong(['evt_old', 'evt_new'])).toEqual(new Set(['evt_new']));
    expect(await listDeadLetters(db, letters)).toEqual([]);
  });
});
