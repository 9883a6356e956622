import { columnsOf, newId, turnRun, type TurnRunPayload } from '#libs/contracts';
import type { JobClient } from '#libs/queue';
import { ServiceTokens } from '#libs/service-kit';
import { testServiceKey, until } from '#libs/testing';
import type pg from 'pg';
import type { FakeModel } from '../../apps/engine/src/testing/fake-model.js';
import { fakeServices, type FakeServices } from '../../apps/engine/src/testing/fake-services.js';
import { LoneEngines } from './lone-engines.js';

const owner = { organizationId: newId('org'), projectId: newId('prj') };
const route = '/internal/adapter-calls/deliver';
let engines: LoneEngines;
let pool: pg.Pool;
let jobs: JobClient;
let model: FakeModel;
let services: FakeServices;

beforeAll(async () => {
  [engines, services] = await Promise.all([LoneEngines.open(), fakeServices()]);
  ({ pool, jobs, model } = engines);
});
afterAll(() => Promise.all([engines.close(), services.close()]));

it('an engine killed while a message goes out before the answer: it has one key, and the answer takes its place', async () => {
  const asked = () => services.requests.filter(({ path }) => path === route);
  services.on(route, () =>
    asked().length === 1 ? new Promise(() => undefined) : { delivery_id: 'dlv_1', state: 'delivered', error: null },
  );
  model.script([{ name: 'send_interim', arguments: JSON.stringify({ text: 'Looking…' }) }], 'It is 42.');
  await engines.start({ GATEWAY_URL: services.url });
  const agent = newId('agt');
  await pool.query(
    `INSERT INTO engine.agent (id, organization_id, project_id, name, instructions, is_chief_of_staff, tools)
     VALUES ($1, $2, $3, 'Test', 'Answer.', false, ARRAY['send_interim'])`,
    [agent, owner.organizationId, owner.projectId],
  );
  const turn: TurnRunPayload = {
    turn_id: newId('trn'),
    ...columnsOf(owner),
    app_id: newId('app'),
    receipt_id: newId('evt'),
    message_id: newId('msg'),
    run: null,
    session: null,
    agent_id: agent,
    input: {
      message: { event_type: 'message', sender: 'ada', message: 'What is it?', is_bot: false, metadata: {} },
      verified: true,
      trust: 'known',
      instructions: null,
      reply: {
        app_id: newId('app'),
        channel_address: 'room-1',
        thread_id: null,
        reply_context: null,
        interim: 'edited',
      },
    },
  };
  await jobs.enqueue(turnRun, turn);
  await until('the message is handed to the gateway', () => asked().length === 1);
  await engines.all[0]?.kill();
  const url = await engines.start({ GATEWAY_URL: services.url });
  const ended = await until('the turn has ended', async () => {
    const { rows } = await pool.query('SELECT state, reply_text FROM engine.turn WHERE id = $1', [turn.turn_id]);
    return ['succeeded', 'failed'].includes(rows[0]?.state) && rows[0];
  });
  expect(ended).toEqual({ state: 'succeeded', reply_text: 'It is 42.' });
  const [first, second, ...more] = asked().map(({ body }) => body);
  expect(more).toEqual([]);
  expect(second).toEqual(first);
  const { rows } = await pool.query('SELECT count(*)::integer AS count FROM engine.turn_interim');
  expect(rows).toEqual([{ count: 1 }]);
  const token = await new ServiceTokens(testServiceKey, 'engine').mint('engine', {
    subject: 'service:test',
    ...owner,
    scopes: ['service'],
  });
  const { rows: turns } = await pool.query('SELECT answer_id FROM engine.turn WHERE id = $1', [turn.turn_id]);
  const path = `/internal/turns/${turn.turn_id}/replies/${turns[0].answer_id}`;
  const offered = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  expect(await offered.json()).toMatchObject({
    content: { text: 'It is 42.', replaces: first?.['idempotency_key'] },
  });
});
