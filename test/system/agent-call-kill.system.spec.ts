import { newId, turnRun } from '#libs/contracts';
import { until } from '#libs/testing';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { LoneEngines } from './lone-engines.js';
import { turnOf } from './turn-of.js';

/** The requests of a turn that asks another agent, in their order: of the caller, of the agent that it asks, of the caller. */
const points = ['outer 0', 'inner 0', 'POST /book', 'inner 1', 'outer 1'] as const;

describe('an engine killed while an agent waits for another', () => {
  const organizationId = newId('org');
  const projectId = newId('prj');
  const [callerId, clerkId] = [newId('agt'), newId('agt')];
  let engines: LoneEngines;
  /** The requests of each turn, by its number. Turn `n` gets no answer at point `n`, the first time. */
  const asked: string[][] = points.map(() => []);
  let killed = false;

  const outside = createServer((request, response) => {
    void textOf(request).then((body) => {
      const isModel = request.url === '/v1/chat/completions';
      const [, number = ''] = /turn (\d)/.exec(isModel ? body : decodeURIComponent(request.url ?? '')) ?? [];
      const point = isModel ? pointOf(body) : `${request.method} ${request.url?.split('?')[0]}`;
      asked[Number(number)]?.push(point);
      if (!killed && point === points[Number(number)]) return;
      response.setHeader('content-type', 'application/json');
      response.end(isModel ? JSON.stringify(completion(point, number, urlOf(outside))) : '{"booked":true}');
    });
  });

  beforeAll(async () => {
    engines = await LoneEngines.open();
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
    const grants = [{ agent_id: clerkId, name: 'clerk', description: 'Books.', grade: 'write' }];
    const insert = `INSERT INTO engine.agent (id, organization_id, project_id, name, instructions, tools, agents, is_chief_of_staff)
       VALUES ($1, $2, $3, 'Test', 'Do it.', $4, $5, false)`;
    await engines.pool.query(insert, [callerId, organizationId, projectId, [], JSON.stringify(grants)]);
    await engines.pool.query(insert, [clerkId, organizationId, projectId, ['http_request'], '[]']);
    await start();
  });
  afterAll(async () => {
    await engines.close();
    outside.closeAllConnections();
    outside.close();
  });

  const start = (): Promise<string> =>
    engines.start({ AGENT_CALL_LOOK_MS: '1000', MODEL_BASE_URL: `${urlOf(outside)}/v1` });
  const ended = (id: string) =>
    until(`turn ${id} ends`, async () => {
      const { rows } = await engines.pool.query('SELECT * FROM engine.turn WHERE id = $1 AND ended_at IS NOT NULL', [
        id,
      ]);
      return rows[0];
    });

  it('ends every turn, asks the other agent once, and makes no call with effects twice', async () => {
    const turns = points.map((_point, number) => turnOf({ organizationId, projectId, agentId: callerId }, number));
    await Promise.all(turns.map((turn) => engines.jobs.enqueue(turnRun, turn)));
    await until('each turn is at its point', () => points.every((point, number) => asked[number]?.at(-1) === point));
    await engines.last?.kill();
    killed = true;
    await start();
    for (const [number, { turn_id }] of turns.entries()) {
      expect(await ended(turn_id)).toMatchObject({ state: 'succeeded', reply_text: 'Done.' });
      const called = await engines.pool.query('SELECT state, agent_id FROM engine.turn WHERE called_by = $1', [
        turn_id,
      ]);
      expect(called.rows).toEqual([{ state: 'succeeded', agent_id: clerkId }]);
      expect(asked[number]?.filter((each) => each.startsWith('POST'))).toEqual(['POST /book']);
      // What the model was asked when the engine died was not stored, so only that is asked again.
      const twice = points.slice(0, number + 1).filter((each) => each === points[number] && !each.startsWith('POST'));
      expect(asked[number]?.toSorted()).toEqual([...points, ...twice].toSorted());
      const audit = await engines.pool.query('SELECT tool, source, outcome FROM engine.tool_call WHERE turn_id = $1', [
        turn_id,
      ]);
      expect(audit.rows).toEqual([{ tool: 'clerk', source: 'agent', outcome: 'ok' }]);
    }
  });
});

/** Whose model is asked, and after how many results. */
function pointOf(body: string): string {
  const { messages } = JSON.parse(body) as { messages: { role: string; content: unknown }[] };
  const isInner = messages.some(({ role, content }) => role === 'user' && String(content).includes('Book for'));
  return `${isInner ? 'inner' : 'outer'} ${messages.filter(({ role }) => role === 'tool').length}`;
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function completion(point: string, number: string, url: string): unknown {
  const calls: Record<string, { name: string; arguments: object }> = {
    'outer 0': { name: 'clerk', arguments: { message: `Book for turn ${number}.` } },
    'inner 0': { name: 'http_request', arguments: { method: 'POST', url: `${url}/book?turn ${number}` } },
  };
  const call = calls[point];
  const called = call && { name: call.name, arguments: JSON.stringify(call.arguments) };
  const message = called
    ? { role: 'assistant', content: null, tool_calls: [{ id: 'call_0', type: 'function', function: called }] }
    : { role: 'assistant', content: 'Done.' };
  return {
    id: 'chat',
    object: 'chat.completion',
    created: 1,
    model: 'fake',
    choices: [{ index: 0, message, finish_reason: called ? 'tool_calls' : 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}
