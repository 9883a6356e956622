import { inboundParse, messageRoute, newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import type { ServerResponse } from 'node:http';
import { fakeIngress, type GatewayWorld, plainRequest, startGateway } from '../../testing/gateway-world.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';

let world: GatewayWorld;
let adapter: FakeAdapter;
let app: string;
const open: FakeAdapter[] = [];

// Postgres keeps no such character in JSON.
const request = { ...plainRequest, body: 'a\0b' };
const message = { event_type: 'message_received', sender: 'ada', message: 'hello', is_bot: false };

beforeAll(async () => {
  const ingress = await fakeIngress(request);
  const settings = { ADAPTER_TIMEOUT_MS: 3_000, ADAPTER_CONCURRENCY: 5, QUEUE_CONCURRENCY: 1 };
  world = await startGateway({ INGRESS_URL: ingress.url, ...settings }, ingress);
});
afterAll(async () => {
  await world.close();
  await Promise.all(open.map((each) => each.close()));
});

async function install(): Promise<{ adapter: FakeAdapter; app: string }> {
  const made = await fakeAdapter(`chat-${Math.random().toString(36).slice(2, 8)}`);
  open.push(made);
  made.routes['parse-inbound'] = () => message;
  return { adapter: made, app: (await world.install(made)).id };
}
beforeEach(async () => {
  ({ adapter, app } = await install());
});

async function receive(to = app, number = 1): Promise<string[]> {
  const ids = Array.from({ length: number }, () => newId('evt'));
  await Promise.all(ids.map((id) => wake(id, to)));
  return ids;
}
const wake = (id: string, to = app) => world.receive(to, { id, request });
const routedIds = async (): Promise<string[]> => (await world.waiting(messageRoute)).map(({ receipt_id: id }) => id);
const routed = (ids: string[]): Promise<unknown> =>
  until('they are routed', async () => {
    const known = new Set(await routedIds());
    return ids.every((id) => known.has(id));
  });
const story = async (id: string): Promise<string[]> => {
  const { rows } = await world.pool.query(
    `SELECT outcome, reason FROM ${everyEntry} e WHERE receipt_id = $1 ORDER BY at`,
    [id],
  );
  return rows.map(({ outcome, reason }) => [outcome, reason].filter(Boolean).join(' '));
};
const waits = async (ids: string[]): Promise<{ tries: number; reason: string }[]> =>
  (await world.pool.query('SELECT tries, reason FROM gateway.inbound_wait WHERE receipt_id = ANY($1)', [ids])).rows;
const parsed = (): number => adapter.bodiesOf('parse-inbound').length;

describe('an adapter that does not answer', () => {
  it('holds up no other adapter, however much waits for it', async () => {
    const held: ServerResponse[] = [];
    adapter.routes['parse-inbound'] = (_body, response) => void held.push(response);
    await receive(app, 200);
    await until('its slots are taken', () => held.length >= 5);
    const other = await install();
    await routed(await receive(other.app));
    // It did not wait for the others, which are given up five at a time.
    expect(held.length).toBeLessThan(100);
  });

  it('gets what waited as soon as it answers, each message once', async () => {
    let works = false;
    adapter.routes['parse-inbound'] = (_body, response) => (works ? message : void response.writeHead(500).end());
    const ids = await receive(app, 300);
    await until('all of them wait', async () => (await waits(ids)).length === ids.length);
    // As the ingress does with stale receipts.
    await Promise.all(ids.slice(0, 50).map((id) => wake(id)));
    // As if each had waited so long that its backoff is hours.
    await world.pool.query(`UPDATE gateway.inbound_wait SET due_at = now() + interval '3 hours'`);
    works = true;
    // Those before may all have failed by now, and none of the others is due.
    await wake(ids[0]!);
    await routed(ids);
    await until('none waits', async () => (await waits(ids)).length === 0);
    const mine = (await routedIds()).filter((id) => ids.includes(id));
    expect(mine).toHaveLength(ids.length);
  });

  it('ends a message that it cannot process, after its attempts', async () => {
    const poison = newId('evt');
    let asked = 0;
    adapter.routes['parse-inbound'] = (_body, response) => {
      asked += 1;
      response.writeHead(500).end();
    };
    // Its last attempt.
    await world.pool.query(
      `INSERT INTO gateway.inbound_wait (receipt_id, adapter_id, job, tries, reason, due_at, blocked_since)
       SELECT $1, adapter_id, jsonb_build_object('receipt_id', $1::text, 'app_id', id, 'organization_id', organization_id,
         'project_id', project_id, 'verified_scheme', 'none', 'received_at', now()), 11, 'timeout', now(), now()
         FROM gateway.app WHERE id = $2`,
      [poison, app],
    );
    await until('it is dead', async () => (await story(poison)).includes('dead provider_unavailable'));
    expect(asked).toBe(1);
    await until('it no longer waits', async () => (await waits([poison])).length === 0);
  });
});

describe('an adapter that is not ready', () => {
  it('is not called; what waits for it says so once, and continues when it is ready', async () => {
    adapter.health.status = 'draining';
    const [id] = await until('the pause has reached everyone', async () => {
      const [sent] = await receive();
      const wasParsed = async () => (await routedIds()).includes(sent!);
      await until('it was looked at', async () => (await story(sent!)).length > 0 || (await wasParsed()));
      return (await story(sent!))[0] === 'retrying adapter_unready' ? [sent!] : null;
    });
    const before = parsed();
    await wake(id!);
    await until('it was enqueued again', async () => (await world.jobs.depth(inboundParse.queue)).waiting === 0);
    expect(await waits([id!])).toEqual([{ tries: 0, reason: 'adapter_unready' }]);
    expect(parsed()).toBe(before);
    adapter.health.status = 'ready';
    await routed([id!]);
    expect(await story(id!)).toEqual(['retrying adapter_unready']);
  });
});
