import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { MessageRow } from '../routing/message.entity.js';
import { RoutingService } from '../routing/routing.service.js';
import { jobOf, type RouterWorld, routerWorld } from '../testing/router-under-test.js';
import type { TurnRow } from '../turns/turn.entity.js';
import { TurnsService } from '../turns/turns.service.js';
import type { RunRow } from './run.entity.js';

describe('runs', () => {
  let world: RouterWorld;
  let router: NestFastifyApplication;

  beforeAll(async () => {
    world = await routerWorld();
    router = await world.start();
  });
  afterAll(() => world.close());

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
});
