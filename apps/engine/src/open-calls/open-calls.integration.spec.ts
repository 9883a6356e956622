import type {
  McpAnswers,
  McpCallAnswer,
  McpCallContinued,
  McpCallWaits,
  McpQuestion,
  TurnInput,
  TurnRunPayload,
} from '#libs/contracts';
import { turnRun } from '#libs/contracts';
import { until } from '#libs/testing';
import { type EngineWorld, engineWorld, turnOf } from '../testing/engine-world.js';
import { type FakeServices, toolOf, toolsetOf } from '../testing/fake-services.js';
import { agentOf, turnsOf } from '../testing/turns-of.js';

/** A call as the registry gets it. */
interface Asked {
  may_ask?: boolean;
  may_wait?: boolean;
  call_id: string;
  arguments: object;
  continued?: McpCallContinued;
}

let world: EngineWorld;
let services: FakeServices;
let agent: string;
/** What the registry answers, call by call; the last one stays. */
let answers: McpCallAnswer[] = [];

const address = { app_id: 'app_dm', channel_address: 'D1', thread_id: null, reply_context: null, sender: 'U1' };
const server = { id: 'mcp_1', name: 'Travel *desk*' };
const settings = {
  TURN_LEASE_MS: 2_000,
  CALL_INPUT_ROUNDS: 2,
  CALL_SEND_TRIES: 2,
  CALL_TASK_LOOK_MS: 50,
  TURN_TYPING_EVERY_MS: 30_000,
};
const form: McpQuestion = {
  mode: 'form',
  message: 'Which seat?\nAisle or <b>window</b>',
  schema: {
    type: 'object',
    properties: {
      seat: { type: 'string', enum: ['aisle', 'window'] },
      bags: { type: 'integer', minimum: 0, maximum: 2, default: 1 },
    },
    required: ['seat'],
  },
};

beforeAll(async () => {
  world = await engineWorld({ scopes: ['agents:read'] });
  ({ services } = world);
  agent = await agentOf(world, { skills: ['skl_desk'] });
  await world.start({ ...settings, ROUTER_URL: services.url, GATEWAY_URL: services.url });
});
beforeEach(() => {
  services.requests.length = 0;
  const book = toolOf({ name: 'book', grade: 'write' });
  services.on('/internal/toolsets', () => toolsetOf([book, toolOf({ name: 'look', idempotent: true })]));
  services.on('/internal/contacts/con_ada/private-address', () => ({ address }));
  services.on('/internal/contacts/con_shy/private-address', () => ({ address: null }));
  services.on('/internal/adapter-calls/deliver', () => ({ delivery_id: 'dlv_1', state: 'delivered', error: null }));
  services.on('/internal/tool-calls', () => (answers.length > 1 ? answers.shift()! : answers[0]!));
});
afterAll(() => world.close());

const result = (content: string): McpCallAnswer => ({ ok: true, content, is_error: false, truncated: false });
const waits = (over: Partial<McpCallWaits> = {}): McpCallAnswer => ({
  ok: true,
  waits: { server, questions: {}, ...over },
});
const task = (over: Partial<NonNullable<McpCallWaits['task']>> = {}) => ({
  id: 'task-1',
  poll_ms: 50,
  ttl_ms: null,
  words: null,
  ...over,
});
const calls = () =>
  services.requests.filter(({ path }) => path === '/internal/tool-calls').map(({ body }) => body as unknown as Asked);
const messages = () =>
  services.requests
    .filter(({ path }) => path === '/internal/adapter-calls/deliver')
    .map(
      ({ body }) => body as unknown as { message: { text: string }; channel_address: string; idempotency_key: string },
    );

async function begin(contact: string | null = 'con_ada', tool = 'desk__book', input: Partial<TurnInput> = {}) {
  world.model.script([{ name: tool, arguments: '{}' }], 'Booked.');
  const turn = turnOf({ agent_id: agent }, { ...input, ...(contact === null ? {} : { contact_id: contact }) });
  await world.jobs.enqueue(turnRun, turn);
  return turn;
}

const linkIn = (text: string): string => /\/questions\/([\w-]+)/.exec(text)?.[1] ?? '';
const asked = (count = 1) =>
  until('the contact is asked', () => messages().length >= count && linkIn(messages()[count - 1]!.message.text));
const page = (token: string) => fetch(`${world.url}/api/v1/questions/${token}`);
const post = (token: string, fields: Record<string, string>) =>
  fetch(`${world.url}/api/v1/questions/${token}`, {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: Object.entries(fields)
      .map(([name, value]) => `${name}=${value}`)
      .join('\r\n'),
  });
const ends = (id: string) => turnsOf(world).reaches(id, 'succeeded', 'failed');
const open = async () => (await world.call('GET', 'open-calls')).body.data;
const waiting = (id: string) =>
  until('the turn waits', async () => (await turnsOf(world).row(id)).reason === 'call_waits');

/** As if its process had died: another one takes the turn over, and what this one hears is stored by nobody. */
const takeOver = (id: string) =>
  world.query(
    `UPDATE engine.turn SET claim = claim + 1, state = 'queued', owner = NULL, due_at = now() WHERE id = $1`,
    [id],
  );
/** Has a turn that waits look again, however long it would wait. */
async function lookNow(turn: TurnRunPayload): Promise<void> {
  const sql = `UPDATE engine.turn SET due_at = now() WHERE id = $1 AND state = 'queued' AND reason = 'call_waits'`;
  await world.query(sql, [turn.turn_id]);
  await world.jobs.enqueue(turnRun, turn);
}
const busy: McpCallAnswer = { ok: false, error: 'busy', message: 'no session is free', retryable: true };
const progressOf = async (id: string) =>
  (
    await world.query(
      `SELECT detail ->> 'note' AS note FROM journal.entry WHERE subject_id = $1 AND reason = 'tool_running' ORDER BY at`,
      [id],
    )
  ).map(({ note }) => note);

describe('a call whose server asks the user first', () => {
  it('waits, asks the contact in private, and goes on once with the answers and the state', async () => {
    answers = [waits({ questions: { seat: form }, state: 'sealed' }), result('booked')];
    const turn = await begin();
    const token = await asked();
    await waiting(turn.turn_id);
    const [message] = messages();
    expect(message?.channel_address).toBe('D1');
    expect(message?.message.text).toContain('Travel \\*desk\\* needs an answer');
    expect(await open()).toEqual([expect.objectContaining({ state: 'asked', server_name: server.name })]);
    const shown = await page(token);
    expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const html = await shown.text();
    expect(html).toContain('Aisle or &lt;b&gt;window&lt;/b&gt;');
    expect(html).toContain('value="1"');
    expect(calls()).toEqual([expect.objectContaining({ may_ask: true, may_wait: true })]);

    expect((await post(token, { 'q0.f0': 'aisle', 'q0.f1': '2', action: 'accept' })).status).toBe(200);
    expect(await ends(turn.turn_id)).toMatchObject({ state: 'succeeded', reply_text: 'Booked.' });
    expect(await turnsOf(world).results(turn.turn_id)).toEqual([{ content: 'booked' }]);
    const accepted: McpAnswers = { seat: { action: 'accept', content: { seat: 'aisle', bags: 2 } } };
    expect(calls().map(({ continued }) => continued)).toEqual([undefined, { answers: accepted, state: 'sealed' }]);
    expect((await page(token)).status).toBe(410);
    expect((await post(token, { 'q0.f0': 'window', action: 'accept' })).status).toBe(410);
    await until('nothing waits', async () => (await open()).length === 0);
    const [kept] = await world.query(
      'SELECT questions, answers, request_state FROM engine.open_call WHERE turn_id = $1',
      [turn.turn_id],
    );
    expect(kept).toEqual({ questions: null, answers: null, request_state: null });
    expect((await turnsOf(world).row(turn.turn_id)).content_trust).toBe('untrusted');
  });

  it('refuses answers that do not hold to the schema, and says what is wrong', async () => {
    answers = [waits({ questions: { seat: form } }), result('booked')];
    const turn = await begin();
    const token = await asked();
    const wrong = await post(token, { 'q0.f1': '7', constructor: 'x', action: 'accept' });
    expect(wrong.status).toBe(422);
    const html = await wrong.text();
    expect(html).toContain('seat is missing.');
    expect(html).toContain('value="7"');
    expect(calls()).toHaveLength(1);
    await post(token, { 'q0.f0': 'window', 'q0.f1': '', action: 'accept' });
    await ends(turn.turn_id);
    expect(calls()[1]?.continued).toEqual({ answers: { seat: { action: 'accept', content: { seat: 'window' } } } });
  });

  it('tells the server that the contact declined', async () => {
    answers = [waits({ questions: { seat: form } }), result('not booked')];
    const turn = await begin();
    await post(await asked(), { action: 'decline' });
    await ends(turn.turn_id);
    expect(calls()[1]?.continued).toEqual({ answers: { seat: { action: 'decline' } } });
    const noted = await world.query(`SELECT reason FROM journal.entry WHERE detail ->> 'turn' = $1 ORDER BY at`, [
      turn.turn_id,
    ]);
    expect(noted.map(({ reason }) => reason)).toEqual(['input_asked', 'input_declined']);
  });

  it('shows the host of a web address, and never opens it', async () => {
    const url = `${world.target.url}/pay`.replace('http:', 'https:');
    answers = [waits({ questions: { pay: { mode: 'url', message: 'Pay here', url } } }), result('paid')];
    world.target.calls.length = 0;
    const turn = await begin();
    const token = await asked();
    const { host } = new URL(url);
    expect(messages()[0]?.message.text).toContain(`open a page of ${host}`);
    const html = await (await page(token)).text();
    expect(html).toContain(`<strong>${host}</strong>`);
    expect(html).toContain(`href="${url}"`);
    await post(token, { action: 'accept' });
    await ends(turn.turn_id);
    expect(calls()[1]?.continued).toEqual({ answers: { pay: { action: 'accept' } } });
    expect(world.target.calls).toEqual([]);
  });

  it('ends in words for the model where the server asks too often', async () => {
    answers = [waits({ questions: { a: form } }), waits({ questions: { b: form } }), waits({ questions: { c: form } })];
    const turn = await begin();
    const first = await asked(1);
    await post(first, { 'q0.f0': 'aisle', action: 'accept' });
    const second = await asked(2);
    expect(second).not.toBe(first);
    await post(second, { 'q0.f0': 'aisle', action: 'accept' });
    await ends(turn.turn_id);
    const [last] = await turnsOf(world).results(turn.turn_id);
    expect(last.error).toMatchObject({ code: 'too_many_rounds', message: expect.stringContaining('2 times') });
  });

  it('ends in words for the model where nobody answers in time', async () => {
    answers = [waits({ questions: { a: form } })];
    const turn = await begin();
    const token = await asked();
    await waiting(turn.turn_id);
    await world.query(`UPDATE engine.open_call SET expires_at = now() WHERE token = $1`, [token]);
    await world.query(`UPDATE engine.turn SET due_at = now() WHERE id = $1`, [turn.turn_id]);
    await world.jobs.enqueue(turnRun, turn);
    expect((await post(token, { 'q0.f0': 'aisle', action: 'accept' })).status).toBe(410);
    await ends(turn.turn_id);
    expect(await turnsOf(world).results(turn.turn_id)).toMatchObject([{ error: { code: 'input_timeout' } }]);
    expect(calls()).toHaveLength(1);
  });

  it('ends in words for the model where the contact cannot be asked in private', async () => {
    answers = [waits({ questions: { a: form } })];
    const turn = await begin('con_shy');
    await ends(turn.turn_id);
    expect(await turnsOf(world).results(turn.turn_id)).toMatchObject([{ error: { code: 'nobody_to_ask' } }]);
  });

  it('is not offered where the event has no contact', async () => {
    answers = [result('booked')];
    await ends((await begin(null)).turn_id);
    expect(calls()[0]?.may_ask).toBeUndefined();
  });

  it('is not made again when the process ended after the answers were sent', async () => {
    answers = [waits({ questions: { a: form } })];
    const turn = await begin();
    const token = await asked();
    await waiting(turn.turn_id);
    const hanging = Promise.withResolvers<McpCallAnswer>();
    services.on('/internal/tool-calls', () => hanging.promise);
    await post(token, { 'q0.f0': 'aisle', action: 'accept' });
    await until('the answers are sent', () => calls().length === 2);
    await takeOver(turn.turn_id);
    hanging.resolve(result('booked'));
    // A job that comes while the old run still winds up here finds the turn entered, and ends.
    await until('another run has ended it', async () => {
      await world.jobs.enqueue(turnRun, turn);
      return (await turnsOf(world).row(turn.turn_id)).ended_at !== null;
    });
    expect(await turnsOf(world).results(turn.turn_id)).toMatchObject([{ error: { code: 'outcome_unknown' } }]);
    expect(calls()).toHaveLength(2);
  });

  it('is asked by one link, which stays, when the idempotent call was repeated after a kill', async () => {
    answers = [waits({ questions: { seat: form } }), result('looked')];
    const hanging = Promise.withResolvers<McpCallAnswer>();
    let made = 0;
    services.on('/internal/tool-calls', () => ((made += 1) === 1 ? hanging.promise : answers.shift()!));
    const turn = await begin('con_ada', 'desk__look');
    await until('it is made', () => made === 1);
    await takeOver(turn.turn_id);
    // Its answer comes all the same: the claim that was taken over keeps nothing of it, and asks nobody.
    hanging.resolve(waits({ questions: { seat: form } }));
    await until('another run waits', async () => {
      await world.jobs.enqueue(turnRun, turn);
      return (await turnsOf(world).row(turn.turn_id)).reason === 'call_waits';
    });
    expect(messages()).toHaveLength(1);
    const token = await asked();
    // Calls without a turn are over: once this one has ended, a sweep has seen the other, too.
    await world.query(
      `INSERT INTO engine.open_call SELECT (jsonb_populate_record(o, '{"id": "opc_~", "turn_id": "trn_~", "token": null}')).*
         FROM engine.open_call o WHERE turn_id = $1`,
      [turn.turn_id],
    );
    await until('a sweep has passed', async () => {
      const [other] = await world.query(`SELECT ended_at FROM engine.open_call WHERE id = 'opc_~'`);
      return other?.ended_at !== null;
    });
    expect((await post(token, { 'q0.f0': 'aisle', action: 'accept' })).status).toBe(200);
    expect(await ends(turn.turn_id)).toMatchObject({ state: 'succeeded' });
    expect(await turnsOf(world).results(turn.turn_id)).toEqual([{ content: 'looked' }]);
    expect(made).toBe(3);
  });

  it('is sent again while the server is away, some times, and then gives the reason', async () => {
    answers = [waits({ questions: { a: form } }), busy];
    const turn = await begin();
    await post(await asked(), { 'q0.f0': 'aisle', action: 'accept' });
    await until('it waits for the next try', async () => {
      const { state, due_at: dueAt } = await turnsOf(world).row(turn.turn_id);
      return calls().length === 2 && state === 'queued' && dueAt.getTime() > Date.now() + 1_000;
    });
    await until('it was sent twice', async () => {
      await lookNow(turn);
      return calls().length === 3;
    });
    await ends(turn.turn_id);
    expect(await turnsOf(world).results(turn.turn_id)).toEqual([
      { error: { code: 'busy', message: 'no session is free' } },
    ]);
    expect(calls()).toHaveLength(3);
    await until('the timeline has it', async () => (await progressOf(turn.turn_id)).length > 0);
    expect(await progressOf(turn.turn_id)).toEqual([expect.stringContaining('busy: no session is free')]);
  });

  it('gets an answer that came in time although its turn goes on later', async () => {
    answers = [waits({ questions: { seat: form } }), result('booked')];
    const turn = await begin();
    const token = await asked();
    await waiting(turn.turn_id);
    const accepted: McpAnswers = { seat: { action: 'accept', content: { seat: 'aisle' } } };
    await world.query(
      `UPDATE engine.open_call SET state = 'answered', answers = $2, expires_at = now() - interval '1 minute' WHERE token = $1`,
      [token, JSON.stringify(accepted)],
    );
    await lookNow(turn);
    await ends(turn.turn_id);
    expect(await turnsOf(world).results(turn.turn_id)).toEqual([{ content: 'booked' }]);
    expect(calls()[1]?.continued).toEqual({ answers: accepted });
  });
});

describe('a call that its server has made a task of', () => {
  it('is looked at until its result has come, which is the result of the tool', async () => {
    answers = [
      waits({ task: task({ words: 'Queued.' }) }),
      waits({ task: task({ words: 'Queued.' }) }),
      waits({ task: task({ words: 'Half.' }) }),
      result('booked'),
    ];
    const turn = await begin(null);
    expect(await ends(turn.turn_id)).toMatchObject({ state: 'succeeded' });
    expect(await turnsOf(world).results(turn.turn_id)).toEqual([{ content: 'booked' }]);
    const look = { task_id: 'task-1' };
    expect(calls().map(({ continued }) => continued)).toEqual([undefined, look, look, look]);
    const [audit] = await turnsOf(world).audit(turn.turn_id);
    expect(audit).toMatchObject({ tool: 'desk__book', outcome: 'ok' });
    await until('the timeline has it', async () => (await progressOf(turn.turn_id)).includes('Half.'));
    expect(await progressOf(turn.turn_id)).toEqual(['Queued.', 'Half.']);
  });

  it('has its time from when it became one, however long the user took before', async () => {
    const looks = [waits({ task: task() }), waits({ task: task() }), waits({ task: task() })];
    answers = [waits({ questions: { seat: form } }), ...looks, result('booked')];
    const turn = await begin();
    const token = await asked();
    await waiting(turn.turn_id);
    await world.query(`UPDATE engine.open_call SET created_at = now() - interval '1 day' WHERE token = $1`, [token]);
    await post(token, { 'q0.f0': 'aisle', action: 'accept' });
    await ends(turn.turn_id);
    expect(await turnsOf(world).results(turn.turn_id)).toEqual([{ content: 'booked' }]);
  });

  it('shows nobody that an answer is written while it is only looked at', async () => {
    answers = [waits({ task: task() }), waits({ task: task() }), waits({ task: task() }), result('booked')];
    services.on('/internal/adapter-calls/indicate', () => ({ ok: true }));
    const reply = {
      app_id: 'app_1',
      channel_address: 'c-1',
      thread_id: null,
      reply_context: null,
      typing: true,
    } as const;
    await ends((await begin(null, 'desk__book', { reply })).turn_id);
    const shown = () =>
      services.requests
        .filter(({ path }) => path === '/internal/adapter-calls/indicate')
        .map(({ body }) => (body as unknown as { state: string }).state);
    await until('it has ended', () => shown().includes('done'));
    expect(shown()).toEqual(['working', 'done']);
  });

  it('asks the contact what it wants to know, each thing once', async () => {
    const wants = waits({ task: task(), questions: { seat: form } });
    answers = [waits({ task: task() }), wants, wants, result('booked')];
    const turn = await begin();
    await post(await asked(), { 'q0.f0': 'aisle', action: 'accept' });
    await ends(turn.turn_id);
    expect(messages()).toHaveLength(1);
    const given = { seat: { action: 'accept', content: { seat: 'aisle' } } };
    expect(calls().map(({ continued }) => continued)).toEqual([
      undefined,
      { task_id: 'task-1' },
      { task_id: 'task-1', answers: given },
      { task_id: 'task-1' },
    ]);
  });

  it('is looked at again while the registry is away', async () => {
    answers = [
      waits({ task: task() }),
      { ok: false, error: 'timeout', message: 'no answer', retryable: true },
      result('booked'),
    ];
    const turn = await begin(null);
    await until('it was looked at', () => calls().length === 2);
    await until('it was looked at again', async () => {
      await lookNow(turn);
      return calls().length === 3;
    });
    await ends(turn.turn_id);
    expect(await turnsOf(world).results(turn.turn_id)).toEqual([{ content: 'booked' }]);
  });

  it('ends when its time is over, and its server hears of that, however often it is away', async () => {
    answers = [waits({ task: task({ ttl_ms: 300 }) })];
    const turn = await begin(null);
    await ends(turn.turn_id);
    expect(await turnsOf(world).results(turn.turn_id)).toMatchObject([{ error: { code: 'task_timeout' } }]);
    await until('the task is cancelled', () => calls().some(({ continued }) => continued?.cancel === true));
  });

  it('is cancelled with its turn', async () => {
    answers = [waits({ task: task({ poll_ms: 60_000 }) })];
    const turn = await begin(null);
    await waiting(turn.turn_id);
    expect(
      (await world.call('POST', `turns/${turn.turn_id}/cancel`, undefined, { scopes: ['admin'] })).status,
    ).toBeLessThan(300);
    await until('the task is cancelled', () => calls().some(({ continued }) => continued?.cancel === true));
    await until('nothing waits', async () => (await open()).length === 0);
    expect(calls().filter(({ continued }) => continued === undefined)).toHaveLength(1);
  });

  it('is cancelled once its server is back', async () => {
    let reported = 0;
    services.on('/internal/tool-calls', ({ body }) => {
      if (!(body as unknown as Asked).continued?.cancel) return waits({ task: task({ poll_ms: 60_000 }) });
      reported += 1;
      return { ok: false, error: reported < 3 ? 'unreachable' : 'cancelled', message: 'away', retryable: false };
    });
    const turn = await begin(null);
    await waiting(turn.turn_id);
    await world.call('POST', `turns/${turn.turn_id}/cancel`, undefined, { scopes: ['admin'] });
    await until('nothing waits', async () => (await open()).length === 0);
    expect(reported).toBe(3);
  });
});
