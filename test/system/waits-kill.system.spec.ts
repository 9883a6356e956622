import { until } from '#libs/testing';
import { storedMessages } from '../../apps/router/src/testing/router-world.js';
import { KilledServices } from './killed-services.js';
import { post } from './webhook.js';

/** More by hand. */
const runs = Number(process.env['WAIT_RUNS'] ?? 40);
const mostKills = Number(process.env['WAIT_KILLS'] ?? 6);
const settings = {
  SWEEP_EVERY_MS: '500',
  EVENT_WAIT_EVERY_MS: '200',
  // Each kill hits many of them, and none is the cause.
  POISON_KILLS: '100',
  POISON_TRIAL_MS: '100',
};

describe('runs that wait for an event while processes are killed', () => {
  let services: KilledServices;

  beforeAll(async () => {
    services = await KilledServices.start(['router', 'engine'], settings);
  });
  afterAll(() => services?.stop());

  it('each go on with their own event, once', async () => {
    const { system, pool } = services;
    const count = (sql: string): Promise<number> => services.count(sql);
    const { id: workflow_id } = await system.api<{ id: number }>('POST', '/api/v1/workflows', {
      name: 'orders',
      instructions: '',
      steps: [
        { name: 'paid', kind: 'wait', where: 'metadata.payload.pays == run.metadata.payload.order', wait_minutes: 60 },
        {
          name: 'sent',
          kind: 'wait',
          where: 'metadata.payload.sends == steps.paid.metadata.payload.pays',
          wait_minutes: 60,
        },
        {
          name: 'known',
          kind: 'branch',
          where: 'steps.sent.metadata.payload.sends == steps.paid.metadata.payload.pays',
        },
      ],
    });
    const open = (step: string) =>
      `SELECT count(*) FROM router.event_wait WHERE step = '${step}' AND state = 'waiting'`;
    const passed = (step: string) =>
      `SELECT count(*) FROM engine.workflow_step WHERE name = '${step}' AND state = 'done'`;
    const orders = Array.from({ length: runs }, (_none, number) => `o${number}`);
    const send = (body: object) => post(system.webhookUrl, body);
    for (const order of orders) await send({ workflow_id, order });
    await services.kill();
    await until('all wait for the first event', async () => (await count(open('paid'))) === runs);
    const listed = `/api/v1/event-waits?state=open&workflow_id=${workflow_id}&limit=200`;
    expect((await system.api<{ data: object[] }>('GET', listed)).data).toHaveLength(runs);
    // The answer of the webhook is custody: what comes of it survives every kill.
    const half = Math.ceil(runs / 2);
    for (const pays of orders.slice(0, half)) await send({ pays });
    await services.kill();
    for (const pays of orders.slice(half)) await send({ pays });
    await services.kill();
    await until('the first step has passed', async () => (await count(passed('paid'))) === runs);
    while (services.kills < mostKills) await services.kill();
    await until('all wait for the second event', async () => (await count(open('sent'))) === runs);
    for (const sends of orders) await send({ sends });
    await services.kill();
    await until(
      'all have ended',
      async () =>
        (await count('SELECT count(*) FROM engine.turn WHERE run_id IS NOT NULL AND ended_at IS NOT NULL')) === runs,
    );

    const { rows: ended } = await pool.query('SELECT DISTINCT state FROM engine.turn WHERE run_id IS NOT NULL');
    expect(ended).toEqual([{ state: 'succeeded' }]);
    const { rows } = await pool.query<{ message_id: string; name: string }>(
      `SELECT t.message_id, w.name, w.output -> 'metadata' -> 'payload' ->> 'pays' AS pays,
              w.output -> 'metadata' -> 'payload' ->> 'sends' AS sends, w.output ->> 'is' AS "is"
         FROM engine.workflow_step w JOIN engine.turn t ON t.id = w.turn_id ORDER BY t.id, w.position`,
    );
    const query = async <T>(sql: string, parameters?: unknown[]) => (await pool.query(sql, parameters)).rows as T[];
    const messages = await storedMessages({ query }, 'WHERE id = ANY($1)', [rows.map(({ message_id: id }) => id)]);
    const orderOf = new Map(
      messages.map(({ id, message }) => [id, (message.metadata as { payload: { order?: string } }).payload.order]),
    );
    const steps = rows.map(({ message_id: id, ...step }) => ({ ...step, order: orderOf.get(id) }));
    expect(steps).toEqual(
      orders.flatMap((order) => [
        { order, name: 'paid', pays: order, sends: null, is: 'true' },
        { order, name: 'sent', pays: null, sends: order, is: 'true' },
        { order, name: 'known', pays: null, sends: null, is: 'true' },
      ]),
    );
    await until(
      'the engine has heard of each',
      async () => (await count("SELECT count(*) FROM router.event_wait WHERE state <> 'done'")) === 0,
    );
    const { rows: waits } = await pool.query(
      'SELECT count(*)::integer AS waits, count(DISTINCT message_id)::integer AS messages FROM router.event_wait',
    );
    expect(waits).toEqual([{ waits: 2 * runs, messages: 2 * runs }]);
    process.stdout.write(`${runs} runs, ${services.kills} kills\n`);
  });
});
