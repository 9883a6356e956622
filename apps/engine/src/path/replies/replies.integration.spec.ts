import { deliverySend, newId, turnRun } from '#libs/contracts';
import { until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type EngineWorld, engineWorld, home, turnOf } from '../../testing/engine-world.js';

describe('a committed reply', () => {
  let world: EngineWorld;
  let engine: NestFastifyApplication;
  let deliveryId: string;
  const turn = turnOf();

  beforeAll(async () => {
    world = await engineWorld();
    engine = await world.start({ SWEEP_AFTER_MS: 1_000 });
    await world.jobs.enqueue(turnRun, turn);
    deliveryId = await until(
      'the reply is offered',
      async () => (await world.waiting(deliverySend)).find((job) => job.turn_id === turn.turn_id)?.delivery_id,
    );
  });
  afterAll(async () => {
    await world.close();
  });

  it('can be read by the gateway, and by nobody else', async () => {
    const read = async (token: string) =>
      engine.inject({
        url: `/internal/turns/${turn.turn_id}/replies/${deliveryId}`,
        headers: { authorization: `Bearer ${token}` },
      });
    const found = await read(await world.token(['service']));
    expect(found.json()).toMatchObject({ content: { text: expect.stringContaining('Rehearsal model') } });
    expect((await read(await world.token(['admin']))).statusCode).toBe(403);
  });

  it('is offered again when Redis lost its job', async () => {
    await world.loseJobs();
    await until('it is offered again', async () =>
      (await world.waiting(deliverySend)).some((job) => job.delivery_id === deliveryId),
    );
  });

  it('is no longer offered once the gateway reports it, and shows how it ended', async () => {
    const report = (outcome: string, secondsAgo: number) =>
      world.pool.query(
        `INSERT INTO journal.entry (receipt_id, at, organization_id, project_id, app_id, service, stage, outcome, terminal,
                subject_id, attempt)
         VALUES ($1, now() - make_interval(secs => $2), $3, $4, 'app_1', 'adapter-gateway', 'delivery', $5, false, $6, 1)`,
        [turn.receipt_id, secondsAgo, home.organizationId, home.projectId, outcome, deliveryId],
      );
    const shown = async () => {
      const headers = { authorization: `Bearer ${await world.token(['agents:read'])}` };
      return (await engine.inject({ url: `/api/v1/turns/${turn.turn_id}`, headers })).json().deliveries;
    };
    expect(await shown()).toEqual([{ id: deliveryId, kind: 'answer', state: 'open' }]);
    await report('retrying', 3);
    expect(await shown()).toMatchObject([{ state: 'taken' }]);
    await report('unknown', 2);
    expect(await shown()).toMatchObject([{ state: 'unknown' }]);
    // A person has confirmed that it arrived.
    await report('delivered', 1);
    expect(await shown()).toMatchObject([{ state: 'delivered' }]);
    await world.pool.query('UPDATE engine.stale_handover SET next_at = now() - make_interval(hours => 1)');
    await until('it is settled', async () => {
      const { rows } = await world.pool.query('SELECT FROM engine.stale_handover');
      return rows.length === 0;
    });
  });

  it('belongs to a turn that its project can read, and no other', async () => {
    const read = async (token: string) =>
      engine.inject({ url: `/api/v1/turns/${turn.turn_id}`, headers: { authorization: `Bearer ${token}` } });
    const shown = await read(await world.token(['agents:read']));
    expect(shown.json()).toMatchObject({ state: 'succeeded', steps: [{ kind: 'model_call' }, { kind: 'reply' }] });
    const stranger = { organizationId: home.organizationId, projectId: newId('prj') };
    expect((await read(await world.token(['admin'], stranger))).statusCode).toBe(404);
  });
});
