import { newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import type { Scope } from '#libs/service-kit';
import { type As, until } from '#libs/testing';
import { type EngineWorld, engineWorld, sessionOf, turnOf } from '../../testing/engine-world.js';
import { type FakeStream, fakeStream } from '../../testing/fake-model.js';
import { followStream } from '../../testing/session-follower.js';
import { agentOf, turnsOf } from '../../testing/turns-of.js';

const most = 4;

describe('a trial of an agent', () => {
  let world: EngineWorld;
  let host: string;

  beforeAll(async () => {
    world = await engineWorld({ scopes: ['agents:write'], subject: 'user:ada' });
    await world.start({
      TRIAL_TURNS: most,
      TURN_LEASE_MS: 1_000,
      SWEEP_AFTER_MS: 100,
      ROUTER_URL: world.services.url,
    });
    host = new URL(world.target.url).host;
  });
  beforeEach(() => {
    world.model.script();
    world.target.calls.length = 0;
  });
  afterAll(() => world.close());

  type Trial = Awaited<ReturnType<typeof begun>>;
  const begun = async (agent: string) => {
    const { status, body } = await world.call('POST', `agents/${agent}/trials`);
    expect(status).toBe(201);
    return `agents/${agent}/trials/${body.id}` as const;
  };
  const ask = async (trial: Trial, body: object, as?: As) => {
    const asked = await world.call('POST', `${trial}/messages`, body, as);
    expect(asked).toMatchObject({ status: 202 });
    await turnsOf(world).reaches(asked.body.id, 'succeeded', 'failed', 'waiting_approval');
    const last = (await world.call('GET', trial)).body.turns.at(-1);
    if (!last) throw new Error('the trial has no turn');
    return last;
  };
  const under = (key: string): As => ({ headers: { 'idempotency-key': key } });
  const systemText = (): string => String(world.model.requests.at(-1)?.messages[0]?.content);

  it('answers as a draft would, or with instructions that nobody saved, and remembers what was said', async () => {
    const agent = await agentOf(world, {});
    const draft = await world.call('POST', `agents/${agent}/versions`, { instructions: 'Speak like a pirate.' });
    const trial = await begun(agent);
    world.model.script('Arr.');
    const first = await ask(trial, { text: 'Who are you?', version: draft.body.version });
    expect(first).toMatchObject({
      state: 'succeeded',
      reply_text: 'Arr.',
      message: 'Who are you?',
      version: 2,
      agent_version: 2,
      edited: false,
      tools: 'rehearsed',
      reply: 'none',
    });
    expect(first.tokens).toBeGreaterThan(0);
    expect(systemText()).toContain('Speak like a pirate.');
    const next = await ask(trial, { text: 'And now?', instructions: 'Speak like a butler.', model: 'other' });
    expect(next).toMatchObject({ version: 1, edited: true });
    expect(systemText()).toContain('Speak like a butler.');
    const [request] = world.model.requests.slice(-1);
    expect(request?.model).toBe('other');
    expect(JSON.stringify(request?.messages)).toContain('Arr.');
    expect((await world.call('GET', `agents/${agent}`)).body).toMatchObject({
      version: 1,
      instructions: 'Do as you are told.',
    });
  });

  it('changes nothing with its tools, and sends, announces and counts nothing as a message', async () => {
    const agent = await agentOf(world, { tools: ['http_request'], allowed_hosts: [host] });
    const trial = await begun(agent);
    const url = `${world.target.url}/orders`;
    world.model.script([{ name: 'http_request', arguments: JSON.stringify({ method: 'POST', url, body: 'x' }) }], 'ok');
    const turn = await ask(trial, { text: 'Order one.' });
    expect(turn).toMatchObject({ state: 'succeeded', rehearsal: true, deliveries: [] });
    expect(world.target.calls).toEqual([]);
    world.model.script((response) => response.writeHead(400).end('{"error":{"message":"no"}}'));
    expect(await ask(trial, { text: 'Fail.' })).toMatchObject({ state: 'failed' });
    const { rows } = await world.pool.query(
      `SELECT (SELECT count(*)::integer FROM ${everyEntry} e) AS entries, (SELECT count(*)::integer FROM journal.dead_letter) AS dead,
              (SELECT count(*)::integer FROM engine.session) AS sessions`,
    );
    expect(rows).toEqual([{ entries: 0, dead: 0, sessions: 0 }]);
  });

  it('calls tools for real by choice, with the grades and approvals of any turn', async () => {
    const agent = await agentOf(world, {
      tools: ['http_request'],
      allowed_hosts: [host],
      may_do: 'read',
      approvers: ['user:ada', 'user:bob'],
    });
    const trial = await begun(agent);
    const url = `${world.target.url}/orders`;
    const real = { text: 'Order one.', tools: 'real' };
    expect(await world.call('POST', `${trial}/messages`, real)).toMatchObject({
      status: 403,
      body: { code: 'scope_missing' },
    });
    const scopes: Scope[] = ['agents:write', 'workflows:write'];
    world.model.script(
      [{ name: 'http_request', arguments: JSON.stringify({ method: 'POST', url, body: 'x' }) }],
      'done',
    );
    const turn = await ask(trial, real, { scopes });
    expect(turn).toMatchObject({ state: 'waiting_approval', tools: 'real', rehearsal: false });
    expect(world.target.calls).toEqual([]);
    expect(await world.call('POST', `${trial}/messages`, real, { scopes })).toMatchObject({
      status: 409,
      body: { code: 'trial_busy' },
    });
    const { rows } = await world.pool.query('SELECT id, requested_by FROM engine.approval WHERE turn_id = $1', [
      turn.id,
    ]);
    expect(rows[0].requested_by).toEqual(['user:ada']);
    const decide = (subject: string) =>
      world.call('POST', `approvals/${rows[0].id}/approve`, {}, { scopes: ['approvals:decide'], subject });
    expect((await decide('user:ada')).body.code).toBe('own_request');
    expect((await decide('user:bob')).status).toBe(200);
    await turnsOf(world).reaches(turn.id, 'succeeded');
    expect(world.target.calls).toHaveLength(1);
  });

  it('shows who follows it what the agent writes, and that it has ended', async () => {
    const agent = await agentOf(world, {});
    const trial = await begun(agent);
    const streams: FakeStream[] = [];
    world.model.script((response) => void streams.push(fakeStream(response)));
    const asked = await world.call('POST', `${trial}/messages`, { text: 'Tell me.' });
    await until('the model is asked', () => streams.length === 1);
    const token = await world.token({ scopes: ['agents:read'] });
    const reader = await followStream(`${world.url}/api/v1/${trial}/stream`, token);
    streams[0]?.write('Once upon');
    await until('its words are there', () => reader.texts.get(asked.body.id) === 'Once upon');
    streams[0]?.end();
    await until('it has ended', () => reader.ended.includes(asked.body.id));
    reader.leave();
  });

  it('runs once under a key, and ends at its limit of messages', async () => {
    const agent = await agentOf(world, {});
    const trial = await begun(agent);
    const one = await ask(trial, { text: 'a' }, under('k1'));
    expect((await ask(trial, { text: 'a' }, under('k1'))).id).toBe(one.id);
    expect(await world.call('POST', `${trial}/messages`, { text: 'b' }, under('k1'))).toMatchObject({ status: 422 });
    for (let count = 1; count < most; count += 1) await ask(trial, { text: String(count) });
    expect(await world.call('POST', `${trial}/messages`, { text: 'z' })).toMatchObject({
      status: 409,
      body: { code: 'trial_full' },
    });
  });

  it('is nobody else’s, and gives no powers that its caller could not give', async () => {
    const agent = await agentOf(world, {});
    const trial = await begun(agent);
    const other = { projectId: newId('prj') };
    expect((await world.call('GET', trial, undefined, other)).status).toBe(404);
    expect((await world.call('POST', `${trial}/messages`, { text: 'a' }, other)).status).toBe(404);
    expect((await world.call('GET', `${trial}/stream`, undefined, other)).status).toBe(404);
    const another = await agentOf(world, {});
    expect((await world.call('GET', trial.replace(agent, another))).status).toBe(404);
    expect((await world.call('POST', `${trial}/messages`, { text: 'a' }, { scopes: ['agents:read'] })).status).toBe(
      403,
    );
    expect(await world.call('POST', `${trial}/messages`, { text: 'a', version: 9 })).toMatchObject({
      status: 404,
      body: { code: 'version_not_found' },
    });
    const owner: As = { scopes: ['agents:write', 'approvals:manage'] };
    const draft = await world.call('POST', `agents/${agent}/versions`, { allowed_hosts: [host] }, owner);
    const version = draft.body.version;
    expect((await world.call('POST', `${trial}/messages`, { text: 'a', version })).body.code).toBe('scope_missing');
    expect(await ask(trial, { text: 'a', version }, owner)).toMatchObject({ state: 'succeeded', version });
  });

  it('asks the message of a run again, which the router has, until it is past its retention', async () => {
    const agent_id = await agentOf(world, {});
    const real = turnOf({ agent_id }, { failure_notice: 'Sorry.', instructions: 'Be kind.' });
    world.model.script('Hello Ada.');
    await turnsOf(world).run(real);
    const [row] = await world.query<{ input: object }>('SELECT input FROM engine.turn WHERE id = $1', [real.turn_id]);
    expect(row?.input).toMatchObject({ instructions: 'Be kind.', verified: true });
    expect(Object.keys(row?.input ?? {})).not.toEqual(expect.arrayContaining(['message']));
    expect(JSON.stringify(row?.input)).not.toContain('Sorry.');
    let kept = [{ id: real.message_id, message: real.input?.message }];
    world.services.on('/internal/messages', ({ query }) => ({
      data: kept.filter(({ id }) => query.get('ids') === id),
    }));
    const as: As = { scopes: ['agents:write', 'events:read', 'agents:read'] };
    const trial = await begun(agent_id);
    world.model.script('Hello again.');
    expect(await ask(trial, { turn_id: real.turn_id }, as)).toMatchObject({ reply_text: 'Hello again.' });
    expect(JSON.stringify(world.model.requests.at(-1)?.messages)).toContain('hello there');
    const named = { name: 'runs', turn_ids: [real.turn_id] };
    const { id: set } = (await world.call('POST', `agents/${agent_id}/case-sets`, named, as)).body;
    expect((await world.call('GET', `agents/${agent_id}/case-sets/${set}`, undefined, as)).body.turns).toEqual([
      { turn_id: real.turn_id, message: 'hello there', recorded: 'Hello Ada.' },
    ]);
    kept = [];
    expect(await world.call('POST', `${trial}/messages`, { turn_id: real.turn_id }, as)).toMatchObject({ status: 422 });
  });

  it('asks the message of a real turn again, with the results recorded then, and calls nothing', async () => {
    const agent_id = await agentOf(world, { tools: ['http_request'], allowed_hosts: [host] });
    const call_of = (path: string) => [
      { name: 'http_request', arguments: JSON.stringify({ method: 'GET', url: `${world.target.url}/${path}` }) },
    ];
    const session = sessionOf('recorded');
    world.model.script('Hello Ada.');
    await turnsOf(world).run(turnOf({ session, agent_id }));
    const real = turnOf({ session, agent_id });
    world.model.script(call_of('order'), 'It is on its way.');
    await turnsOf(world).run(real);
    const [recorded] = await turnsOf(world).results(real.turn_id);
    expect(world.target.calls).toHaveLength(1);
    const trial = await begun(agent_id);
    const repeated = { turn_id: real.turn_id, instructions: 'Be short.' };
    expect((await world.call('POST', `${trial}/messages`, repeated)).body.code).toBe('scope_missing');
    const as: As = { scopes: ['agents:write', 'events:read'] };
    world.model.script(call_of('order'), call_of('other'), 'Soon.');
    const turn = await ask(trial, repeated, as);
    expect(turn).toMatchObject({ reply_text: 'Soon.', recorded_of: real.turn_id, message: null, rehearsal: true });
    expect(world.target.calls).toHaveLength(1);
    expect(await turnsOf(world).results(turn.id)).toEqual([
      recorded,
      { error: expect.objectContaining({ code: 'not_recorded' }) },
    ]);
    const [first] = world.model.requests;
    expect(JSON.stringify(first?.messages)).toContain('Hello Ada.');
    expect(first?.messages[0]?.content).toContain('Be short.');
    const another = await begun(await agentOf(world, {}));
    expect(await world.call('POST', `${another}/messages`, repeated, as)).toMatchObject({ status: 422 });
    expect(await world.call('POST', `${trial}/messages`, { ...repeated, text: 'a' }, as)).toMatchObject({
      status: 422,
    });
    expect(
      await world.call('POST', `${trial}/messages`, { ...repeated, tools: 'real' }, { scopes: ['admin'] }),
    ).toMatchObject({
      status: 422,
    });
  });

  it('is answered by another claim after its engine died', async () => {
    const agent = await agentOf(world, {});
    const trial = await begun(agent);
    const streams: FakeStream[] = [];
    world.model.script((response) => void streams.push(fakeStream(response)), 'Whole.');
    const asked = await world.call('POST', `${trial}/messages`, { text: 'Tell me.' });
    await until('the model is asked', () => streams.length === 1);
    await world.pool.query(
      "UPDATE engine.turn SET owner = 'gone', claim = claim + 1, lease_until = now() - interval '1 second' WHERE id = $1",
      [asked.body.id],
    );
    const row = await turnsOf(world).reaches(asked.body.id, 'succeeded');
    expect(row).toMatchObject({ reply_text: 'Whole.', claim: 3 });
  });
});
