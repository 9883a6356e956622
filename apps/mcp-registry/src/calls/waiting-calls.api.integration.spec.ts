import type { McpCallContinued } from '#libs/contracts';
import {
  acceptedContent,
  createMcpHandler,
  fromJsonSchema,
  inputRequired,
  McpServer,
} from '@modelcontextprotocol/server';
import { type RegistryWorld, startRegistry } from '../testing/registry-world.js';
import { type ServedMcp, servedMcp } from '../testing/served-mcp.js';

let registry: RegistryWorld;
let server: ServedMcp;
let serverId: string;
/** Requests about tasks, and headers that name the task. */
let ofTasks: { method: string; params: Record<string, unknown>; named: string | null }[] = [];
/** What the server says about its task, look by look; the last one stays. */
let states: Record<string, unknown>[] = [];

const nothing = fromJsonSchema({ type: 'object' });
const seat = { type: 'object' as const, properties: { seat: { type: 'string' as const } }, required: ['seat'] };
const task = {
  taskId: 'task-1',
  status: 'working',
  createdAt: '2026-07-28T00:00:00Z',
  lastUpdatedAt: '2026-07-28T00:00:00Z',
  ttlMs: 60_000,
  pollIntervalMs: 20,
};

/** A real server of 2026; what it has asked before, it knows by the state that comes back. */
function desk(): McpServer {
  const mcp = new McpServer({ name: 'desk', version: '1' }, { capabilities: { tools: {} } });
  const text = (words: string) => ({ content: [{ type: 'text' as const, text: words }] });
  mcp.registerTool('book', { description: 'Books.', inputSchema: nothing }, (_args, { mcpReq }) => {
    const { inputResponses } = mcpReq;
    if (inputResponses === undefined) {
      return inputRequired({
        inputRequests: { seat: inputRequired.elicit({ message: 'Which\u202e seat?', requestedSchema: seat }) },
        requestState: 'between us',
      });
    }
    const given = acceptedContent(inputResponses, 'seat');
    return text(`${given ? `booked ${String(given['seat'])}` : 'not booked'}, ${mcpReq.requestState<string>()}`);
  });
  mcp.registerTool('pay', { description: 'Pays.', inputSchema: nothing }, () =>
    inputRequired({
      inputRequests: { pay: inputRequired.elicitUrl({ message: 'Pay.', url: 'https://pay.example/1' }) },
    }),
  );
  mcp.registerTool('trick', { description: 'Tricks.', inputSchema: nothing }, () =>
    inputRequired({
      inputRequests: { pay: inputRequired.elicitUrl({ message: 'Pay.', url: 'http://ada:pw@pay.example' }) },
    }),
  );
  mcp.registerTool('long', { description: 'Takes long.', inputSchema: nothing }, () => text('unused'));
  return mcp;
}

interface Rpc {
  id: number;
  method: string;
  params: Record<string, unknown> & { name?: string };
}

/** The server's package has no tasks of 2026: those answers are made here. */
async function handled(request: Request, handle: (request: Request) => Promise<Response>): Promise<Response> {
  if (request.method !== 'POST') return handle(request);
  const { id, method, params } = (await request.clone().json()) as Rpc;
  const answer = (result: object) => Response.json({ jsonrpc: '2.0', id, result });
  if (method === 'tools/call' && params.name === 'long') return answer({ resultType: 'task', ...task });
  if (params['requestState'] === 'refuse me') return new Response('no', { status: 400 });
  if (!method.startsWith('tasks/')) return handle(request);
  const { _meta: _, ...given } = params;
  ofTasks.push({ method, params: given, named: request.headers.get('mcp-name') });
  if (method !== 'tasks/get') return answer({ resultType: 'complete' });
  const reported = states.length > 1 ? states.shift() : states[0];
  if (reported?.['status'] === 503) return new Response('', { status: 503 });
  return answer({ resultType: 'complete', ...task, ...reported });
}

beforeAll(async () => {
  registry = await startRegistry({ MCP_WAIT_BYTES: 2_000 });
  const handler = createMcpHandler(() => desk());
  server = await servedMcp((request) => handled(request, (one) => handler.fetch(one)));
  serverId = (await registry.call('POST', 'mcp-servers', { url: server.url, name: 'Desk' })).body.id;
});
beforeEach(() => {
  ofTasks = [];
  states = [{}];
});
afterAll(async () => {
  await registry.close();
  await server.stop();
});

async function call(name: string, continued?: McpCallContinued, may = { may_ask: true, may_wait: true }) {
  const { data } = (await registry.call('GET', `tools?server_id=${serverId}`)).body;
  const found = data.find((one) => one.name === name);
  const body = {
    tool_id: found?.id,
    pin: found?.pin,
    arguments: {},
    call_id: 'trn_1.1.a',
    ...may,
    ...(continued ? { continued } : {}),
  };
  return (await registry.internal('POST', 'tool-calls', body)).body;
}
const outcomes = async (name: string) => {
  const { data } = (await registry.call('GET', `tools?server_id=${serverId}`)).body;
  const id = data.find((one) => one.name === name)?.id;
  return (await registry.call('GET', `tools/${id}/calls`)).body.data.map(({ outcome }) => outcome);
};

describe('a server of 2026 that asks before it answers', () => {
  it('is answered as the contract says: what it asks, and what it wants back', async () => {
    const form = { mode: 'form', message: 'Which seat?', schema: seat };
    expect(await call('book')).toEqual({
      ok: true,
      waits: { server: { id: serverId, name: 'Desk' }, questions: { seat: form }, state: expect.any(String) },
    });
    expect((await outcomes('book'))[0]).toBe('waiting');
  });

  it('gets the answers with its state, and answers the call', async () => {
    const asked = await call('book');
    const state = asked.waits?.state;
    const answers = { seat: { action: 'accept' as const, content: { seat: 'aisle' } } };
    const answered = await call('book', { answers, ...(state === undefined ? {} : { state }) });
    expect(answered).toMatchObject({ ok: true, content: 'booked aisle, between us' });
    expect((await outcomes('book'))[0]).toBe('ok');
  });

  it('gets a refusal as one', async () => {
    const declined = await call('book', { answers: { seat: { action: 'decline' } }, state: 'between us' });
    expect(declined).toMatchObject({ ok: true, content: 'not booked, between us' });
  });

  it('is not tried again where it refuses the answers before it acts on them', async () => {
    const answers = { seat: { action: 'decline' as const } };
    const refused = await call('book', { answers, state: 'refuse me' });
    expect(refused).toMatchObject({ ok: false, error: 'refused', retryable: false });
  });

  it('may lead to a web address', async () => {
    const pay = { mode: 'url', message: 'Pay.', url: 'https://pay.example/1' };
    expect(await call('pay')).toMatchObject({ ok: true, waits: { questions: { pay } } });
  });

  it('is refused an address that names a user', async () => {
    expect(await call('trick')).toMatchObject({ ok: false, error: 'input_refused', retryable: false });
    expect((await registry.call('GET', `mcp-servers/${serverId}`)).body.health).toBe('reachable');
  });

  it('is informed that nobody can be asked, and cannot ask', async () => {
    const refused = await call('book', undefined, { may_ask: false, may_wait: true });
    expect(refused).toMatchObject({ ok: false });
    expect(JSON.stringify(refused)).toMatch(/elicitation|nobody to ask/);
  });
});

describe('a server of 2026 that makes a task of a call', () => {
  it('is looked at, by requests that name the task, until the result has come', async () => {
    const begun = await call('long');
    const waits = { task: { id: 'task-1', poll_ms: 20, ttl_ms: 60_000, words: null } };
    expect(begun).toMatchObject({ ok: true, waits });
    states = [
      { statusMessage: 'Half.' },
      { status: 'completed', result: { content: [{ type: 'text', text: 'done' }] } },
    ];
    const look = { task_id: 'task-1' };
    expect(await call('long', look)).toMatchObject({ ok: true, waits: { task: { words: 'Half.' } } });
    expect(await call('long', look)).toMatchObject({ ok: true, content: 'done', is_error: false });
    const get = { method: 'tasks/get', params: { taskId: 'task-1' }, named: 'task-1' };
    expect(ofTasks).toEqual([get, get]);
    // Looking is no call of the tool.
    expect(await outcomes('long')).toEqual(['ok', 'waiting']);
  });

  it('gets what it asks for, and goes on', async () => {
    const inputRequests = {
      seat: { method: 'elicitation/create', params: { message: 'Which?', requestedSchema: seat } },
    };
    states = [{ status: 'input_required', inputRequests }];
    const asks = await call('long', { task_id: 'task-1' });
    expect(asks).toMatchObject({ waits: { questions: { seat: { mode: 'form' } }, task: { id: 'task-1' } } });
    const answers = { seat: { action: 'accept' as const, content: { seat: 'aisle' } } };
    states = [{}];
    await call('long', { task_id: 'task-1', answers });
    expect(ofTasks.map(({ method, params }) => [method, params])).toEqual([
      ['tasks/get', { taskId: 'task-1' }],
      ['tasks/update', { taskId: 'task-1', inputResponses: answers }],
      ['tasks/get', { taskId: 'task-1' }],
    ]);
  });

  it.each([
    ['has failed', { status: 'failed', error: { code: -32000, message: 'no seats' } }, 'has failed: no seats'],
    ['was cancelled there', { status: 'cancelled' }, 'was cancelled'],
    ['ended with no result', { status: 'completed', result: 7 }, 'no result of a tool'],
    ['has a state that is none', { status: 'lost' }, 'the state "lost"'],
  ])('ends the call in words when the task %s', async (_what, state, words) => {
    states = [state];
    const ended = await call('long', { task_id: 'task-1' });
    expect(ended).toMatchObject({ ok: false, message: expect.stringContaining(words) });
  });

  it('is looked at again where it fails itself', async () => {
    states = [{ status: 503 }];
    expect(await call('long', { task_id: 'task-1' })).toMatchObject({ error: 'unreachable', retryable: true });
  });

  it('asks for sampling in vain', async () => {
    const inputRequests = { think: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } };
    states = [{ status: 'input_required', inputRequests }];
    const refused = await call('long', { task_id: 'task-1' });
    expect(refused).toMatchObject({
      error: 'input_refused',
      message: expect.stringContaining('sampling/createMessage'),
    });
  });

  it('asks in vain for more than may be kept', async () => {
    const message = 'x'.repeat(1_999);
    const inputRequests = { seat: { method: 'elicitation/create', params: { message, requestedSchema: seat } } };
    states = [{ status: 'input_required', inputRequests }];
    expect(await call('long', { task_id: 'task-1' })).toMatchObject({
      message: expect.stringContaining('MCP_WAIT_BYTES'),
    });
  });

  it('is asked to stop', async () => {
    await call('long', { task_id: 'task-1', cancel: true });
    expect(ofTasks).toEqual([{ method: 'tasks/cancel', params: { taskId: 'task-1' }, named: 'task-1' }]);
  });
});
