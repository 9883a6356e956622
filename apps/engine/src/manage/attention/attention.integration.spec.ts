import { newId, turnRun } from '#libs/contracts';
import { until } from '#libs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type EngineWorld, engineWorld, home, sessionOf, turnOf } from '../../testing/engine-world.js';
import { type FakeModel, fakeModel } from '../../testing/fake-model.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

interface Item {
  code: string;
  severity: string;
  text: string;
  what_to_do: string;
  count: number;
  resource: { kind: string };
}

let world: EngineWorld;
let model: FakeModel;
let engine: NestFastifyApplication;

beforeAll(async () => {
  [world, model] = await Promise.all([engineWorld(), fakeModel()]);
  engine = await world.start({
    MODEL_BASE_URL: model.url,
    MODEL_NAME: 'fake',
    MODEL_BREAKER_FAILURES: 1_000,
    MODEL_TRIAL_MS: 300,
    TURN_ATTENTION_MS: 100,
  });
});
afterAll(async () => {
  await world.close();
  await model.close();
});

const get = async <T>(url: string, scopes: Parameters<EngineWorld['token']>[0], project = home) =>
  (await engine.inject({ url, headers: { authorization: `Bearer ${await world.token(scopes, project)}` } })).json<T>();
const items = async (project = home) => (await get<{ data: Item[] }>('/internal/attention', ['service'], project)).data;
const reported = (code: string) =>
  until(`${code} is reported`, async () => (await items()).find((item) => item.code === code));
const gone = (code: string) =>
  until(`${code} is no longer reported`, async () => (await items()).every((item) => item.code !== code));

describe('what needs attention names', () => {
  it('a model that is away, with its own words, who waits, and when it is asked again', async () => {
    const words = JSON.stringify({ error: { message: 'The engine is overloaded, try later' } });
    model.always((response) => response.writeHead(503).end(words));
    const turns = ['con_a', 'con_a', 'con_b'].map((contact_id) => turnOf({}, { contact_id }));
    await Promise.all(turns.map((turn) => world.jobs.enqueue(turnRun, turn)));
    const item = await until('all three are counted', async () => {
      const found = (await items()).find(({ code }) => code === 'model_away');
      return found?.count === 3 && found;
    });
    expect(item).toMatchObject({ severity: 'error', resource: { kind: 'models' } });
    expect(item.text).toMatch(
      /^3 messages of 2 people wait for an answer\. The model does not answer: check its endpoint\. It said: the model answered 503 \(“The engine is overloaded, try later”\).*\. The next attempt is at \d{4}-.*Z\.$/,
    );
    expect(await items({ organizationId: newId('org'), projectId: newId('prj') })).toEqual([]);
    model.always(null);
    await gone('model_away');
    for (const turn of turns) await turnsOf(world).reaches(turn.turn_id, 'succeeded');
  });

  it('turns that wait for something else', async () => {
    const agent = await agentOf(world, { skills: ['missing'] });
    await world.jobs.enqueue(turnRun, turnOf({ agent_id: agent }));
    const item = await reported('turns_wait');
    expect(item.text).toMatch(/^1 message waits for an answer\. The tool registry does not answer\./);
    await world.pool.query("UPDATE engine.turn SET state = 'failed', ended_at = now() WHERE state = 'queued'");
    await gone('turns_wait');
  });

  it('calls that wait for a person', async () => {
    const agent = await agentOf(world, { tools: ['http_request'], may_do: 'read', approvers: ['key:test'] });
    const call = { name: 'http_request', arguments: JSON.stringify({ method: 'POST', url: `${model.url}/orders` }) };
    model.script([call]);
    const turn = turnOf({ agent_id: agent });
    await world.jobs.enqueue(turnRun, turn);
    await turnsOf(world).reaches(turn.turn_id, 'waiting_approval');
    expect((await reported('approvals_pending')).text).toMatch(/^1 tool call waits for approval, the first until /);
    await world.pool.query("UPDATE engine.approval SET state = 'refused' WHERE turn_id = $1", [turn.turn_id]);
    await gone('approvals_pending');
  });
});

describe('a budget of the day that is used up', () => {
  it('is named with its agent and its limit, until it is raised', async () => {
    model.script();
    const agent = await agentOf(world, { caps: { day_tokens: 15, contact_day_tokens: 10 } });
    await turnsOf(world).run(turnOf({ agent_id: agent }, { contact_id: 'con_a' }));
    await reported('day_budget_spent');
    expect((await items()).filter(({ code }) => code === 'day_budget_spent')).toMatchObject([
      {
        severity: 'warning',
        text: 'The agent Test has used up the tokens of the day: 15 of 15 (day_tokens of the agent).',
        resource: { kind: 'agents', id: agent },
      },
      { text: 'A contact of Test has used up the tokens of the day: 15 of 10 (contact_day_tokens of the agent).' },
    ]);
    expect(await items({ ...home, organizationId: newId('org') })).toEqual([]);
    await world.pool.query(`UPDATE engine.agent SET caps = '{"day_tokens": 16}' WHERE id = $1`, [agent]);
    await gone('day_budget_spent');
  });
});

describe('a conversation', () => {
  interface Listed {
    id: string;
    result: { state: string; reason: string | null; text: string } | null;
  }
  const listed = async (app: string) =>
    (await get<{ data: Listed[] }>(`/api/v1/sessions?app_id=${app}`, ['channels:read', 'events:read'])).data[0];
  const shows = (app: string, state: string) =>
    until(`the conversation is ${state}`, async () => {
      const found = await listed(app);
      return found?.result?.state === state && { ...found, result: found.result };
    });

  it('has the state of its message, with the reason', async () => {
    const app = newId('app');
    model.always((response) => response.writeHead(429).end('{"error":{"message":"Slow down"}}'));
    const turn = turnOf(
      { app_id: app, session: sessionOf(newId('req')) },
      { reply: null, reply_withheld: 'no_address' },
    );
    await world.jobs.enqueue(turnRun, turn);
    const waiting = await shows(app, 'waiting');
    expect(waiting.result.text).toBe(
      'A turn is waiting. The model does not answer: check its endpoint. It said: the model answered 429 (“Slow down”): too many requests.',
    );
    model.always(null);
    const ended = await shows(app, 'no_reply');
    expect(ended.result).toMatchObject({ reason: 'no_address' });
    const turns = await get<{ data: Listed[] }>(`/api/v1/sessions/${ended.id}/turns`, ['channels:read', 'events:read']);
    expect(turns.data.map(({ result }) => result)).toEqual([ended.result]);
  });

  it('says which tool waits for a person', async () => {
    const app = newId('app');
    const agent = await agentOf(world, { tools: ['http_request'], may_do: 'read', approvers: ['key:test'] });
    model.script([{ name: 'http_request', arguments: JSON.stringify({ method: 'POST', url: `${model.url}/orders` }) }]);
    await world.jobs.enqueue(turnRun, turnOf({ app_id: app, agent_id: agent, session: sessionOf(newId('req')) }));
    const { result } = await shows(app, 'waiting');
    expect(result.text).toBe("A turn is waiting. A tool call waits for a person's decision. The tool: http_request.");
  });
});
