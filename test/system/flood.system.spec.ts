import { everyEntry } from '#libs/journal';
import { testPool, until } from '#libs/testing';
import type pg from 'pg';
import type { InstalledApp } from './api.js';
import { openFakeAdapter, type FakeAdapter } from './fake-adapter.js';
import { startSystem, type System } from './system.js';
import { post } from './webhook.js';

const number = 200;
/** Large enough that Postgres stores it and jobs refer to it. */
const refusedByPostgres = `impossible ${'x'.repeat(20_000)}`;

describe('a flood of messages that can only fail', () => {
  let system: System;
  let adapter: FakeAdapter;
  let provider: InstalledApp;
  let database: pg.Pool;

  beforeAll(async () => {
    adapter = await openFakeAdapter('flood', { verification: 'none' });
    system = await startSystem();
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/adapters', { url: adapter.url });
    const app = { name: 'flood', kind: 'adapter', adapter_id: id };
    provider = await system.api<InstalledApp>('POST', '/api/v1/apps', app);
    await system.api('PUT', `/api/v1/channels/${provider.id}`, { unknown_senders: 'open' });
    database = testPool(system.databaseUrl, { max: 2 });
    await database.query(
      `CREATE FUNCTION gateway.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN RAISE EXCEPTION 'no such character' USING ERRCODE = 'untranslatable_character'; END $$`,
    );
    await database.query(
      `CREATE TRIGGER refuse BEFORE INSERT ON gateway.parsed_messages FOR EACH ROW
       WHEN (NEW.messages LIKE '%impossible%') EXECUTE FUNCTION gateway.refuse()`,
    );
  });
  afterAll(async () => {
    await database?.end();
    await system?.stop();
    await adapter?.close();
  });

  /** Sends the flood, with a valid message after every twenty. @returns the ids of their events */
  const flood = async (url: string, bad: (at: number) => string): Promise<{ bad: string[]; well: string[] }> => {
    const ids: { bad: string[]; well: string[] } = { bad: [], well: [] };
    for (let at = 0; at < number; at += 20) {
      const sent = Array.from({ length: 20 }, (_, more) => post(url, bad(at + more)));
      for (const { status, id } of await Promise.all([...sent, post(url, '{"task":"hello"}')])) {
        expect(status).toBe(200);
        ids.bad.push(id);
      }
      ids.well.push(ids.bad.pop() ?? '');
    }
    return ids;
  };
  /** The events' timelines, each entry as `outcome reason attempt`: for receipts only, not for turns and replies. */
  const stories = async (ids: string[]): Promise<string[][]> => {
    const { rows } = await database.query<{ story: string[] }>(
      `SELECT array_agg(concat_ws(' ', outcome, reason, attempt) ORDER BY at, terminal) AS story FROM ${everyEntry} e
        WHERE receipt_id = ANY($1) AND stage = 'parsed' GROUP BY receipt_id`,
      [ids],
    );
    return rows.map(({ story }) => story);
  };
  const ended = (appId: string, ids: string[]): Promise<Map<string, string | null>> =>
    until('all have ended', async () => {
      const outcomes = await system.outcomesOf(appId);
      return ids.every((id) => (outcomes.get(id) ?? null) !== null) ? outcomes : null;
    });
  const count = async (sql: string, ids: string[]): Promise<number> =>
    (await database.query(`SELECT 1 FROM ${sql} AND receipt_id = ANY($1)`, [ids])).rows.length;

  /** Each bad one is dead-lettered once, after one attempt, and delays none of the valid ones. */
  const expectOneAttemptEach = async (appId: string, ids: { bad: string[]; well: string[] }, as: string[][]) => {
    const outcomes = await ended(appId, [...ids.bad, ...ids.well]);
    expect(new Set(ids.bad.map((id) => outcomes.get(id)))).toEqual(new Set(['dead']));
    expect(new Set(ids.well.map((id) => outcomes.get(id)))).toEqual(new Set(['routed']));
    const recorded = await stories(ids.bad);
    expect(recorded).toHaveLength(number);
    for (const story of recorded) expect(as).toContainEqual(story);
    // A step that went well is in the row of what followed it.
    const parsed = `${everyEntry} e CROSS JOIN jsonb_array_elements(detail -> 'steps_before') s
      WHERE s ->> 0 = 'parsed' AND s #> '{4,attempt}' IS NULL`;
    expect(await count(parsed, ids.well)).toBe(ids.well.length);
    expect(await count("journal.dead_letter WHERE stage = 'parsed'", ids.bad)).toBe(number);
    expect(await count('gateway.inbound_wait WHERE true', [...ids.bad, ...ids.well])).toBe(0);
  };

  it('by the answers of an adapter costs one attempt each, and one dead letter', async () => {
    const hello = { event_type: 'message_received', sender: 'ada', message: 'hello', is_bot: false };
    const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
    const answers = [
      JSON.stringify({ ...hello, metadata: 'here' }).replace('"here"', deep),
      JSON.stringify({ ...hello, message: refusedByPostgres }),
      JSON.stringify({ ...hello, event_type: 5 }),
      '{"message":"a\u0000b"}',
      '[1,2,3]',
      '<p>no JSON</p>',
    ];
    adapter.parsed = (body) =>
      /^\d+$/.test(body) ? (answers[Number(body) % answers.length] ?? '') : JSON.stringify(hello);
    const ids = await flood(provider.webhook_url, String);
    await expectOneAttemptEach(provider.id, ids, [['dead contract_violation 1'], ['dead not_processable 1']]);
    expect(adapter.parses).toBe(number + ids.well.length);
  });

  it('by bodies of the built-in Webhook app costs one attempt each, and one dead letter', async () => {
    const ids = await flood(system.webhookUrl, () => JSON.stringify({ task: refusedByPostgres }));
    await expectOneAttemptEach(system.appId, ids, [['dead not_processable 1']]);
  });

  it('by bodies that the ingress itself can refuse costs none', async () => {
    const bodies = ['{"task":', `${'['.repeat(5_000)}${']'.repeat(5_000)}`, '{"workflow_id":2147483648}', '\ufeff'];
    const before = (await system.outcomesOf(system.appId)).size;
    for (let at = 0; at < number; at += 20) {
      const sent = Array.from({ length: 20 }, (_, more) => post(system.webhookUrl, bodies[more % bodies.length] ?? ''));
      for (const { status } of await Promise.all(sent)) expect([400, 422]).toContain(status);
    }
    const { status, id } = await post(system.webhookUrl, { task: 'hello' });
    expect(status).toBe(200);
    await ended(system.appId, [id]);
    expect((await system.outcomesOf(system.appId)).size).toBe(before + 1);
  });
});
