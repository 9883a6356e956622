import { Journal } from '#libs/journal';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MessageRow } from '../routing/message.entity.js';
import { RoutingService } from '../routing/routing.service.js';
import { jobOf, type RouterWorld, routerWorld } from '../testing/router-under-test.js';
import type { TurnRow } from '../turns/turn.entity.js';
import { TurnsService } from '../turns/turns.service.js';
import type { RunDetailView } from './run.dto.js';
import type { RunRow } from './run.entity.js';

interface FakeEngine {
  url: string;
  /** What it answers from now on; 503 at first. */
  says(answer: object): void;
  close(): Promise<void>;
}

async function fakeEngine(): Promise<FakeEngine> {
  let answer: object | null = null;
  const server = createServer((_request, response) => {
    response.writeHead(answer ? 200 : 503, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { code: 'unavailable' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    says: (next) => {
      answer = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

describe('runs', () => {
  let world: RouterWorld;
  let router: NestFastifyApplication;
  let engine: FakeEngine;

  beforeAll(async () => {
    [world, engine] = await Promise.all([routerWorld(), fakeEngine()]);
    router = await world.start({ ENGINE_URL: engine.url });
  });
  afterAll(async () => {
    await world.close();
    await engine.close();
  });

  /** A message that one trigger makes a run of. */
  const receive = async (): Promise<MessageRow> => {
    const app_id = await world.channel({ unknown_senders: 'open', chief_of_staff: false });
    const workflow = await world.api<{ id: number }>('POST', '/api/v1/workflows', { name: 'w', instructions: 'first' });
    await world.api('POST', '/api/v1/triggers', { app_id, workflow_id: workflow.body.id });
    const job = jobOf(app_id, {});
    await router.get(RoutingService, { strict: false }).route(job, 1);
    return world.row<MessageRow>('SELECT * FROM router.message WHERE receipt_id = $1', [job.receipt_id]);
  };
  const runsOf = (id: string) => world.rows<RunRow>('SELECT * FROM router.run WHERE message_id = $1 ORDER BY id', [id]);
  const turns = () => router.get(TurnsService, { strict: false });

  it('say how they stand, whatever order the news come in', async () => {
    const [run] = await runsOf((await receive()).id);
    const turn = await world.row<TurnRow>('SELECT * FROM router.turn WHERE run_id = $1', [run?.id]);
    const tell = async (attempt: number, state: 'running' | 'waiting_approval') => {
      await turns().progress([{ turn_id: turn.id, state, attempt }]);
      return (await world.row<RunRow>('SELECT * FROM router.run WHERE id = $1', [run?.id])).state;
    };
    expect(await tell(1, 'running')).toBe('running');
    expect(await tell(2, 'waiting_approval')).toBe('waiting_approval');
    expect(await tell(2, 'running')).toBe('waiting_approval');
    expect(await tell(3, 'running')).toBe('running');
    await turns().finish([{ turn_id: turn.id, state: 'failed', error: 'turn_timeout' }]);
    expect(await tell(4, 'running')).toBe('timed_out');
  });

  it('say for what they wait and until when, and no more once they go on', async () => {
    const [run] = await runsOf((await receive()).id);
    const turn = await world.row<TurnRow>('SELECT * FROM router.turn WHERE run_id = $1', [run?.id]);
    const now = () => world.row<RunRow>('SELECT * FROM router.run WHERE id = $1', [run?.id]);
    const until = '2030-01-01T00:00:00.000Z';
    await turns().progress([{ turn_id: turn.id, state: 'waiting', attempt: 1, reason: 'model_unavailable', until }]);
    expect(await now()).toMatchObject({
      state: 'waiting',
      reason: 'model_unavailable',
      waiting_until: new Date(until),
    });
    await turns().progress([{ turn_id: turn.id, state: 'running', attempt: 2 }]);
    expect(await now()).toMatchObject({ state: 'running', reason: null, waiting_until: null });
    await turns().finish([{ turn_id: turn.id, state: 'succeeded', error: null, reply: 'none', reason: 'no_address' }]);
    expect(await now()).toMatchObject({ state: 'succeeded', reply: 'none', reason: 'no_address' });
  });

  it('show their turns, their reply and their deliveries, and say what is missing while the engine is away', async () => {
    const [run] = await runsOf((await receive()).id);
    const turn = await world.row<TurnRow>('SELECT * FROM router.turn WHERE run_id = $1', [run?.id]);
    await turns().finish([{ turn_id: turn.id, state: 'failed', error: 'empty_answer' }]);
    const shown = () => world.api<RunDetailView>('GET', `/api/v1/runs/${run?.id}`);
    expect((await shown()).body).toMatchObject({
      state: 'failed',
      reply_text: null,
      incomplete: expect.stringContaining('The engine does not answer'),
      turns: [{ id: turn.id, url: `/api/v1/turns/${turn.id}`, error: 'empty_answer', reason_text: expect.any(String) }],
    });
    const told = {
      id: turn.id,
      reply_text: 'Half.',
      waiting: null,
      deliveries: [{ id: 'dlv_1', kind: 'answer', state: 'dead' }],
    };
    engine.says({ turns: [told] });
    expect((await shown()).body).toMatchObject({ reply_text: 'Half.', deliveries: told.deliveries, incomplete: null });
  });

  it('take the dead letter of their turn along when they are retried', async () => {
    const row = await receive();
    const [run] = await runsOf(row.id);
    const turn = await world.row<TurnRow>('SELECT * FROM router.turn WHERE run_id = $1', [run?.id]);
    const { receipt_id, organization_id, project_id, app_id, id } = turn;
    const subject = { receipt_id, organization_id, project_id, app_id, subject_id: id };
    await router.get(Journal, { strict: false }).appendNow({ ...subject, stage: 'turn', outcome: 'dead', reason: 'x' });
    await turns().finish([{ turn_id: id, state: 'failed', error: 'x' }]);
    await world.api('POST', `/api/v1/runs/${run?.id}/retry`);
    expect(await world.row('SELECT state, outcome FROM journal.dead_letter WHERE subject_id = $1', [id])).toEqual({
      state: 'redriven',
      outcome: 'retried',
    });
  });

  it('are run again by a replay, once under a key', async () => {
    const row = await receive();
    const replay = (key: string, body: object = {}) =>
      world.api<{ run_ids: string[]; code?: string }>('POST', `/api/v1/events/${row.receipt_id}/replay`, body, {
        'idempotency-key': key,
      });
    const answers = await Promise.all([replay('k1'), replay('k1'), replay('k1')]);
    const runs = await runsOf(row.id);
    expect(runs.map(({ replay: again }) => again)).toEqual([false, true]);
    for (const { status, body } of answers) expect([status, body.run_ids]).toEqual([202, [runs[1]?.id]]);
    expect(await replay('k1', { deliver: true })).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });
    await replay('k2');
    expect(await runsOf(row.id)).toHaveLength(3);
  });

  it('are made once under a key by a replay of a run, and retried once', async () => {
    const row = await receive();
    const [first] = await runsOf(row.id);
    const ask = (verb: string, key: string, body?: object) =>
      world.api<RunRow & { code?: string }>('POST', `/api/v1/runs/${first?.id}/${verb}`, body, {
        'idempotency-key': key,
      });
    const answers = await Promise.all([ask('replay', 'r1', {}), ask('replay', 'r1', {})]);
    const [, made, ...others] = await runsOf(row.id);
    expect(others).toEqual([]);
    expect(answers.map(({ body }) => body.id)).toEqual([made?.id, made?.id]);
    expect(await ask('replay', 'r1', { deliver: true })).toMatchObject({
      status: 422,
      body: { code: 'idempotency_key_reused' },
    });
    expect(await ask('retry', 'r1')).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });

    expect(await ask('retry', 't1')).toMatchObject({ status: 409, body: { code: 'run_not_failed' } });
    const fail = async () => {
      const turn = await world.row<TurnRow>(`SELECT * FROM router.turn WHERE run_id = $1 AND state = 'open'`, [
        first?.id,
      ]);
      await turns().finish([{ turn_id: turn.id, state: 'failed', error: 'model_down' }]);
    };
    await fail();
    // What was refused under a key may be asked for again under it.
    expect(await ask('retry', 't1')).toMatchObject({ status: 202, body: { state: 'queued' } });
    await fail();
    expect(await ask('retry', 't1')).toMatchObject({ status: 202, body: { state: 'failed' } });
    expect(await ask('retry', 't2')).toMatchObject({ status: 202, body: { state: 'queued' } });
  });
});
