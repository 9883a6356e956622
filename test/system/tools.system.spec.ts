import { until } from '#libs/testing';
import { openSink, type Sink } from './sink.js';
import { startSmallSystem, type System } from './system.js';

interface Run {
  id: string;
  state: string;
  rehearsal: boolean;
  receipt_id: string;
}

interface Turn {
  rehearsal: boolean;
  state: string;
  steps: { kind: string; content: { result?: Record<string, unknown> } }[];
}

interface Entry {
  stage: string;
  outcome: string;
  reason: string | null;
  subject_id: string;
}

describe('tools, through all services', () => {
  let system: System;
  let sink: Sink;
  let workflowId: number;
  let agentId: string;

  beforeAll(async () => {
    sink = await openSink();
    system = await startSmallSystem();
    const token = { name: 'orders', type: 'api_key', fields: { token: 'swordfish' } };
    const credential = await system.api<{ id: string }>('POST', '/api/v1/credentials', token);
    const hosts = [new URL(sink.url).host];
    const skill = await system.api<{ id: string; left_out: unknown[] }>('POST', '/api/v1/skills', {
      name: 'Orders',
      tools: [{ tool: 'builtin:http_request' }, { tool: 'builtin:web_search', enabled: false }],
      credentials: [{ credential_id: credential.id, as: 'orders', hosts }],
    });
    expect(skill.left_out).toMatchObject([{ name: 'web_search', reason: 'turned_off' }]);
    const call = JSON.stringify({ method: 'POST', url: `${sink.url}/orders`, body: { item: 'tea' } });
    const agent = await system.api<{ id: string }>('POST', '/api/v1/agents', {
      name: 'Buyer',
      instructions: `call http_request ${call}\nreply: {{result.status}}`,
      skills: [skill.id],
    });
    agentId = agent.id;
    const workflow = { name: 'Buy', instructions: 'Buy tea.', agent_id: agentId };
    workflowId = (await system.api<{ id: number }>('POST', '/api/v1/workflows', workflow)).id;
  });
  afterAll(async () => {
    await system?.stop();
    await sink.close();
  });

  const ended = (id: string): Promise<Run> =>
    until(`the run ${id} ended`, async () => {
      const run = await system.api<Run>('GET', `/api/v1/runs/${id}`);
      return ['succeeded', 'failed'].includes(run.state) ? run : null;
    });
  const orders = () => sink.arrivals.filter(({ path }) => path === '/orders');

  it('are listed on the agent as given to its model or not', async () => {
    const { toolset } = await system.api<{ toolset: object }>('GET', `/api/v1/agents/${agentId}`);
    expect(toolset).toEqual({
      offered: [
        {
          id: 'builtin:http_request',
          name: 'http_request',
          skill: 'orders',
          source: 'builtin',
          grade: 'read',
          for_untrusted: 'without_credentials',
        },
      ],
      by_search: [],
      left_out: [expect.objectContaining({ name: 'web_search', skill: 'orders', reason: 'turned_off' })],
      problems: [],
      error: null,
    });
  });

  it('write with a bound api_key, and not at all in a replay without delivery', async () => {
    const { id } = await system.api<Run>('POST', `/api/v1/workflows/${workflowId}/runs`, { message: 'go' });
    const run = await ended(id);
    expect(run).toMatchObject({ state: 'succeeded', rehearsal: false });
    expect(orders()).toMatchObject([{ json: { item: 'tea' }, headers: { authorization: 'Bearer swordfish' } }]);
    const replay = await system.api<Run>('POST', `/api/v1/runs/${id}/replay`, { deliver: false });
    expect(await ended(replay.id)).toMatchObject({ state: 'succeeded', rehearsal: true });
    expect(orders()).toHaveLength(1);
    const rehearsed = await until('the timeline has the rehearsed call', async () => {
      const { timeline } = await system.api<{ timeline: Entry[] }>('GET', `/api/v1/events/${run.receipt_id}`);
      return timeline.find(({ reason }) => reason === 'tool_rehearsed');
    });
    const turn = await system.api<Turn>('GET', `/api/v1/turns/${rehearsed.subject_id}`);
    expect(turn).toMatchObject({ rehearsal: true, state: 'succeeded' });
    expect(turn.steps.find(({ kind }) => kind === 'tool_result')?.content.result).toMatchObject({
      rehearsal: true,
      executed: false,
      tool: 'http_request',
      arguments: { method: 'POST', body: { item: 'tea' } },
    });
    const audit = await system.api<{ data: object[] }>('GET', `/api/v1/turns/${rehearsed.subject_id}/tool-calls`);
    expect(audit.data).toMatchObject([{ tool: 'http_request', outcome: 'rehearsed' }]);
  });

  it('in Python are tried by hand, with errors at their line and requests through the engine', async () => {
    const source = `def order(item: str) -> int:
    """Orders."""
    answer = http_request("POST", "${sink.url}/tried", body={"item": item})
    if item == "salt":
        raise ValueError("no salt")
    return answer["status"]
`;
    const tool = await system.api<{ id: string }>('POST', '/api/v1/tools', { source });
    const attempt = (item: unknown) =>
      system.api<object>('POST', `/api/v1/tools/${tool.id}/try`, { arguments: { item } });
    expect(await attempt('tea')).toMatchObject({ ok: true, result: 200 });
    expect(sink.arrivals.at(-1)).toMatchObject({ path: '/tried', json: { item: 'tea' } });
    expect(await attempt('salt')).toMatchObject({ ok: false, error: 'exception', line: 5 });
    expect(await attempt(7)).toMatchObject({ ok: false, error: 'invalid_arguments' });
    const calls = await system.api<{ data: { outcome: string }[] }>('GET', `/api/v1/tools/${tool.id}/calls`);
    expect(calls.data.map(({ outcome }) => outcome)).toEqual(['invalid_arguments', 'exception', 'ok']);
  });

  it('in Python list the calls of turns beside what people tried, page by page', async () => {
    const source = `def twice(n: int) -> int:
    """Doubles."""
    if n > 9:
        raise ValueError("too many")
    return 2 * n
`;
    const tool = await system.api<{ id: string }>('POST', '/api/v1/tools', { source });
    const agent = await system.api<{ id: string }>('POST', '/api/v1/agents', {
      name: 'Doubler',
      instructions: 'Double.',
      python_tools: [tool.id],
    });
    const run = async (n: number) => {
      const workflow = await system.api<{ id: number }>('POST', '/api/v1/workflows', {
        name: `Doubles ${n}`,
        agent_id: agent.id,
        instructions: `call agent__twice {"n":${n}}\ncall agent__twice {"n":${n}}\nreply: Done.`,
      });
      await system.api('POST', `/api/v1/workflows/${workflow.id}/runs?wait=60`, { message: 'Go' });
    };
    await run(4);
    await system.api('POST', `/api/v1/tools/${tool.id}/try`, { arguments: { n: 1 } });
    await run(10);
    interface Calls {
      data: { outcome: string; caller: string; at: string; pin: string | null }[];
      next_cursor: string | null;
    }
    const seen: Calls['data'] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Calls = await system.api(
        'GET',
        `/api/v1/tools/${tool.id}/calls?limit=2${cursor && `&cursor=${cursor}`}`,
      );
      expect(page.data.length).toBeLessThanOrEqual(2);
      seen.push(...page.data);
      cursor = page.next_cursor;
    }
    expect(seen.map(({ outcome, caller }) => [outcome, caller.split(':')[0]])).toEqual([
      ['exception', 'agent'],
      ['exception', 'agent'],
      ['ok', 'key'],
      ['ok', 'agent'],
      ['ok', 'agent'],
    ]);
  });
});
