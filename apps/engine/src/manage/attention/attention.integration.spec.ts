import { newId, turnRun } from '#libs/contracts';
import { Database } from '#libs/database';
import { home, until } from '#libs/testing';
import { type EngineWorld, engineWorld, sessionOf, turnOf } from '../../testing/engine-world.js';
import { type FakeModel } from '../../testing/fake-model.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

let world: EngineWorld;
let model: FakeModel;

beforeAll(async () => {
  world = await engineWorld({ scopes: ['channels:read', 'events:read'] });
  ({ model } = world);
  await world.start({
    MODEL_BREAKER_FAILURES: 1_000,
    MODEL_TRIAL_MS: 300,
    TURN_ATTENTION_MS: 100,
  });
});
afterAll(() => world.close());

const items = async (project = home) => (await world.internal('GET', 'attention', undefined, project)).body.data;
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

  it('turns that wait for a tool registry that does not answer, until none waits', async () => {
    const agent = await agentOf(world, { skills: ['missing'] });
    await world.jobs.enqueue(turnRun, turnOf({ agent_id: agent }));
    const item = await reported('turns_wait');
    expect(item.text).toMatch(/^1 message waits for an answer\. The tool registry does not answer\./);
    await world.pool.query("UPDATE engine.turn SET state = 'failed', ended_at = now() WHERE state = 'queued'");
    await gone('turns_wait');
  });

  it('calls that wait for a person, until they are decided', async () => {
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

describe('a budget of the month that is used up', () => {
  it('is named with its agent and its limit, until it is raised', async () => {
    model.script();
    const agent = await agentOf(world, { name: 'Monthly', caps: { month_tokens: 15, contact_month_tokens: 10 } });
    await turnsOf(world).run(turnOf({ agent_id: agent }, { contact_id: 'con_m' }));
    await reported('month_budget_spent');
    expect((await items()).filter(({ code }) => code === 'month_budget_spent')).toMatchObject([
      {
        text: 'The agent Monthly has used up the tokens of the month: 15 of 15 (month_tokens of the agent).',
        resource: { kind: 'agents', id: agent },
      },
      {
        text: 'A contact of Monthly has used up the tokens of the month: 15 of 10 (contact_month_tokens of the agent).',
      },
    ]);
    await world.pool.query(`UPDATE engine.agent SET caps = '{"month_tokens": 16}' WHERE id = $1`, [agent]);
    await gone('month_budget_spent');
  });
});

describe('the usage of a span', () => {
  it('is read only where something limits it', async () => {
    await world.pool.query("UPDATE engine.agent SET caps = '{}'");
    const db = world.app.get(Database, { strict: false });
    const asked: string[] = [];
    const query = db.query.bind(db);
    db.query = (sql: string, ...rest: never[]) => {
      asked.push(sql);
      return query(sql, ...rest);
    };
    const sums = () => asked.splice(0).filter((sql) => /FROM engine\.usage[^]*day >= /.test(sql));
    try {
      await items();
      expect(sums()).toEqual([]);
      await agentOf(world, { caps: { contact_month_cost_micros: 5 } });
      await items();
      expect(sums()).toEqual([expect.stringContaining('month')]);
    } finally {
      db.query = query;
    }
  });
});

describe('a conversation', () => {
  const listed = async (app: string) => (await world.call('GET', `sessions?app_id=${app}`)).body.data[0];
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
    const turns = (await world.call('GET', `sessions/${ended.id}/turns`)).body;
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
