import { deliverySend, deliverySettled, newId, turnRun } from '#libs/contracts';
import { until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type EngineWorld, engineWorld, home, turnOf } from '../testing/engine-under-test.js';

describe('a committed reply', () => {
  let world: EngineWorld;
  let engine: NestFastifyApplication;
  let deliveryId: string;

  beforeAll(async () => {
    world = await engineWorld();
    engine = await world.start({ SWEEP_AFTER_MS: 1_000 });
    const turn = turnOf();
    await world.jobs.wake(turnRun, turn);
    deliveryId = await until(
      'the reply is offered',
      async () => (await world.waiting(deliverySend)).find((job) => job.turn_id === turn.turn_id)?.delivery_id,
    );
  });
  afterAll(async () => {
    await world.close();
  });

  const reply = async () =>
    (await world.pool.query('SELECT state, outcome, offered_at FROM engine.reply WHERE delivery_id = $1', [deliveryId]))
      .rows[0];
  const settle = (state: 'taken' | 'delivered' | 'unknown') =>
    world.jobs.wake(deliverySettled, { deliveries: [{ delivery_id: deliveryId, state }] });

  it('is read by the gateway, and by nobody else', async () => {
    const read = async (token: string) =>
      engine.inject({ url: `/internal/replies/${deliveryId}`, headers: { authorization: `Bearer ${token}` } });
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

  it('is offered no more once it is taken, and keeps how it ended', async () => {
    await settle('taken');
    await until('it is taken', async () => (await reply()).state === 'taken');
    await settle('unknown');
    await until('it is settled', async () => (await reply()).outcome === 'unknown');
    // A person said that it has arrived.
    await settle('delivered');
    await until('it is delivered', async () => (await reply()).outcome === 'delivered');
    await world.jobs.wake(deliverySettled, {
      deliveries: [
        { delivery_id: deliveryId, state: 'dead' },
        { delivery_id: newId('dlv'), state: 'taken' },
      ],
    });
    await until('the job is done', async () => {
      const { waiting, active } = await world.jobs.depth('delivery-results');
      return waiting + active === 0;
    });
    expect(await reply()).toMatchObject({ state: 'settled', outcome: 'delivered' });
  });

  it('belongs to a project whose turn the API shows, and to no other', async () => {
    const { rows } = await world.pool.query('SELECT turn_id FROM engine.reply WHERE delivery_id = $1', [deliveryId]);
    const read = async (token: string) =>
      engine.inject({ url: `/api/v1/turns/${rows[0].turn_id}`, headers: { authorization: `Bearer ${token}` } });
    const shown = await read(await world.token(['agents:read']));
    expect(shown.json()).toMatchObject({ state: 'succeeded', steps: [{ kind: 'model_call' }, { kind: 'reply' }] });
    const stranger = { organizationId: home.organizationId, projectId: newId('prj') };
    expect((await read(await world.token(['admin'], stranger))).statusCode).toBe(404);
  });
});
