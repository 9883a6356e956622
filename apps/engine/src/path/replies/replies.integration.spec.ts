import { deliverySend, newId, turnRun } from '#libs/contracts';
import { type As, home, until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf, rehearsal } from '../../testing/engine-world.js';

describe('a committed reply', () => {
  let world: EngineWorld;
  let deliveryId: string;
  const turn = turnOf();

  beforeAll(async () => {
    world = await engineWorld({ scopes: ['agents:read'] });
    await world.start({ ...rehearsal, SWEEP_AFTER_MS: 1_000 });
    await world.jobs.enqueue(turnRun, turn);
    deliveryId = await until(
      'the reply is offered',
      async () => (await world.waiting(deliverySend)).find((job) => job.turn_id === turn.turn_id)?.delivery_id,
    );
  });
  afterAll(() => world.close());

  it('can be read by the gateway, and by nobody else', async () => {
    const read = (as?: As) => world.internal('GET', `turns/${turn.turn_id}/replies/${deliveryId}`, undefined, as);
    const found = await read();
    expect(found.body).toMatchObject({ content: { text: expect.stringContaining('Rehearsal model') } });
    expect((await read({ scopes: ['admin'] })).status).toBe(403);
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
      return (await world.call('GET', `turns/${turn.turn_id}`)).body.deliveries;
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

  it('has no notice of a failure before its turn was redriven, unless the gateway has taken that', async () => {
    const kinds = async () => {
      const { deliveries } = (await world.call('GET', `turns/${turn.turn_id}`)).body;
      return (deliveries as { kind: string; state: string }[]).map(({ kind, state }) => `${kind} ${state}`);
    };
    const noticeId = newId('dlv');
    const become = (state: string) =>
      world.pool.query('UPDATE engine.turn SET notice_id = $2, state = $3 WHERE id = $1', [
        turn.turn_id,
        noticeId,
        state,
      ]);
    await become('failed');
    expect(await kinds()).toEqual(['failure_notice open', 'answer delivered']);
    await become('succeeded');
    expect(await kinds()).toEqual(['answer delivered']);
    await world.pool.query(
      `INSERT INTO journal.entry (receipt_id, at, organization_id, project_id, app_id, service, stage, outcome, terminal,
              subject_id, attempt)
       VALUES ($1, now(), $2, $3, 'app_1', 'adapter-gateway', 'delivery', 'delivered', false, $4, 1)`,
      [turn.receipt_id, home.organizationId, home.projectId, noticeId],
    );
    expect(await kinds()).toEqual(['failure_notice delivered', 'answer delivered']);
    await world.pool.query('UPDATE engine.turn SET notice_id = NULL WHERE id = $1', [turn.turn_id]);
  });

  it('belongs to a turn that its project can read, and no other', async () => {
    const read = (as?: As) => world.call('GET', `turns/${turn.turn_id}`, undefined, as);
    const shown = await read();
    expect(shown.body).toMatchObject({ state: 'succeeded', steps: [{ kind: 'model_call' }, { kind: 'reply' }] });
    const stranger = { organizationId: home.organizationId, projectId: newId('prj') };
    expect((await read(stranger)).status).toBe(404);
  });
});
