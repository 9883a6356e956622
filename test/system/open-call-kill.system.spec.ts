import { columnsOf, newId, turnRun, type TurnRunPayload } from '#libs/contracts';
import type { JobClient } from '#libs/queue';
import { until } from '#libs/testing';
import type pg from 'pg';
import type { FakeModel } from '../../apps/engine/src/testing/fake-model.js';
import { fakeServices, type FakeServices, toolOf, toolsetOf } from '../../apps/engine/src/testing/fake-services.js';
import { LoneEngines, oftenKilled } from './lone-engines.js';

/** More by hand. */
const mostKills = Number(process.env['OPEN_CALL_KILLS'] ?? 6);
const turns = Number(process.env['OPEN_CALL_TURNS'] ?? 10);
const owner = { organizationId: newId('org'), projectId: newId('prj') };
const agentId = newId('agt');
let engines: LoneEngines;
/** Of the engine that runs. */
let url = '';
let pool: pg.Pool;
let jobs: JobClient;
let model: FakeModel;
let services: FakeServices;

const lookItUp = 'look it up';

/** What the server of the tool has done for each call: made it, and then again with answers. */
const made = new Map<string, { tool: string; first: number; answered: number; looks: number }>();

beforeAll(async () => {
  [engines, services] = await Promise.all([LoneEngines.open(), fakeServices()]);
  ({ pool, jobs, model } = engines);
});
afterAll(() => Promise.all([engines.close(), services.close()]));

async function start(): Promise<void> {
  const others = { MCP_REGISTRY_URL: services.url, ROUTER_URL: services.url, GATEWAY_URL: services.url };
  url = await engines.start({ ...oftenKilled, ...others, CALL_TASK_LOOK_MS: '50', MODEL_STREAMING: '0' });
}

/** The contact answers each question once, whichever engine there is by then. */
async function answer(token: string): Promise<void> {
  await until('the answer is taken', () =>
    fetch(`${url}/api/v1/questions/${token}`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: 'q0.f0=true\r\naction=accept',
    }).then(
      ({ status }) => status === 200 || status === 410,
      () => false,
    ),
  );
}

function serve(): void {
  const question = {
    mode: 'form',
    message: 'Sure?',
    schema: { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] },
  };
  const server = { id: 'mcp_1', name: 'Desk' };
  const tools = [toolOf({ name: 'book', grade: 'write' }), toolOf({ name: 'look', idempotent: true })];
  services.on('/internal/toolsets', () => toolsetOf(tools));
  services.on('/internal/contacts/con_ada/private-address', () => ({
    address: { app_id: 'app_1', channel_address: 'D1', thread_id: null, reply_context: null, sender: 'U1' },
  }));
  const sent = new Set<string>();
  services.on('/internal/adapter-calls/deliver', ({ body }) => {
    const { idempotency_key: key, message } = body as { idempotency_key: string; message: { text: string } };
    const token = /\/questions\/([\w-]+)/.exec(message.text)?.[1] ?? '';
    if (!sent.has(key)) void answer(token);
    sent.add(key);
    return { delivery_id: 'dlv_1', state: 'delivered', error: null };
  });
  // Each call asks first. With the answers it is made, which counts, and is a task from then on.
  services.on('/internal/tool-calls', ({ body }) => {
    const {
      call_id: id,
      tool_id: tool,
      continued,
    } = body as {
      call_id: string;
      tool_id: string;
      continued?: { answers?: object; task_id?: string; cancel?: true };
    };
    const of = made.get(id) ?? { tool, first: 0, answered: 0, looks: 0 };
    made.set(id, of);
    if (continued?.cancel) return { ok: false, error: 'cancelled', message: 'cancelled', retryable: false };
    if (!continued) {
      of.first += 1;
      return { ok: true, waits: { server, questions: { sure: question }, state: id } };
    }
    if (continued.task_id === undefined) of.answered += 1;
    else of.looks += 1;
    const task = { id: `task of ${id}`, poll_ms: 50, ttl_ms: null, words: null };
    return of.looks < 3
      ? { ok: true, waits: { server, questions: {}, task } }
      : { ok: true, content: 'booked', is_error: false, truncated: false };
  });
}

/** @param at every second one makes an idempotent call, which is repeated after a kill and then asks again */
function turnOfCall(_: unknown, at: number): TurnRunPayload {
  return {
    turn_id: newId('trn'),
    ...columnsOf(owner),
    app_id: newId('app'),
    receipt_id: newId('evt'),
    message_id: newId('msg'),
    run: null,
    session: null,
    agent_id: agentId,
    input: {
      message: {
        event_type: 'message',
        sender: 'ada',
        message: at % 2 === 0 ? 'book it' : lookItUp,
        is_bot: false,
        metadata: {},
      },
      verified: true,
      trust: 'known',
      contact_id: 'con_ada',
      instructions: null,
      reply: null,
    },
  };
}

it('calls that wait, whose engine is killed again and again, all end, and none has its effect twice', async () => {
  serve();
  await start();
  await pool.query(
    `INSERT INTO engine.agent (id, organization_id, project_id, name, instructions, skills, is_chief_of_staff, tools)
     VALUES ($1, $2, $3, 'Caller', 'Call.', '{skl_desk}', false, '{}')`,
    [agentId, owner.organizationId, owner.projectId],
  );
  model.script();
  model.answering(({ messages }) => {
    if (messages.some(({ role }) => role === 'tool')) return 'Done.';
    const name = JSON.stringify(messages).includes(lookItUp) ? 'desk__look' : 'desk__book';
    return [{ name, arguments: '{}' }];
  });
  const open = async (): Promise<number> => {
    const { rows } = await pool.query('SELECT count(*)::integer AS ended FROM engine.turn WHERE ended_at IS NOT NULL');
    return turns - Number(rows[0].ended);
  };
  for (const turn of Array.from({ length: turns }, turnOfCall)) await jobs.enqueue(turnRun, turn);
  let kills = 0;
  for (let left = turns; left > 0 && kills < mostKills; left = await open()) {
    const before = services.requests.length;
    // In the middle of it: each time after other requests, and so at other points of the calls.
    const enough = 2 + ((kills * 5) % 9);
    await until('they go on', async () => services.requests.length - before >= enough || (await open()) === 0);
    await engines.last?.kill();
    await start();
    kills += 1;
  }
  await until('all have ended', async () => (await open()) === 0);

  const { rows: results } = await pool.query<{ name: string; result: { content?: string; error?: { code: string } } }>(
    `SELECT content ->> 'name' AS name, content -> 'result' AS result FROM engine.step WHERE kind = 'tool_result'`,
  );
  expect(results).toHaveLength(turns);
  for (const { name, result } of results) {
    if (name === 'desk__look') expect(result).toMatchObject({ content: 'booked' });
    // The process died between a request and its answer: nobody knows, and nobody asks again.
    if (result.content !== 'booked') expect(result.error?.code).toBe('outcome_unknown');
  }
  for (const [id, { tool, first, answered }] of made) {
    if (tool === 'tol_book') expect([id, first, answered <= 1]).toEqual([id, 1, true]);
  }
  const unknown = results.filter(({ result }) => result.content !== 'booked').length;
  process.stdout.write(`${turns} calls, ${kills} kills, ${unknown} with an unknown outcome\n`);
  expect(kills).toBeGreaterThan(0);
});
