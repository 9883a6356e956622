import { deliverySend, newId, turnRun } from '#libs/contracts';
import { until } from '#libs/testing';
import { Redis } from 'ioredis';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { LoneEngines } from './lone-engines.js';
import { turnOf } from './turn-of.js';

/** The fate of the statement that commits a turn, when the engine that sent it is killed. */
const fates = ['is rolled back', 'is committed, with nobody to tell'] as const;

/** The requests to the model and to the target of its calls, in the order of an undisturbed turn. */
const points = ['model 0', 'POST /first', 'POST /second', 'model 2'] as const;

const thought = 'Two calls are needed.';

describe('an engine killed between any two steps of its turns', () => {
  const organizationId = newId('org');
  const projectId = newId('prj');
  const agentId = newId('agt');
  let engines: LoneEngines;
  /** The requests of each turn, by its number. Turn `n` gets no answer at point `n`, the first time. */
  const asked: string[][] = [...points, ...fates].map(() => []);
  /** Whether each request with results has what the model thought before the calls. */
  const returned: boolean[] = [];
  let killed = false;

  const outside = createServer((request, response) => {
    void textOf(request).then((body) => {
      const isModel = request.url === '/v1/chat/completions';
      const [, number = ''] = /turn (\d)/.exec(isModel ? body : decodeURIComponent(request.url ?? '')) ?? [];
      const point = isModel ? `model ${toolResults(body)}` : `${request.method} ${request.url?.split('?')[0]}`;
      asked[Number(number)]?.push(point);
      if (isModel && toolResults(body) > 0) returned.push(body.includes(`"reasoning_content":"${thought}"`));
      if (!killed && point === points[Number(number)]) return;
      response.setHeader('content-type', 'application/json');
      response.end(isModel ? JSON.stringify(completion(toolResults(body), number, urlOf(outside))) : '{"made":true}');
    });
  });

  beforeAll(async () => {
    engines = await LoneEngines.open();
    await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve));
    await engines.pool.query(
      `INSERT INTO engine.agent (id, organization_id, project_id, name, instructions, tools, is_chief_of_staff)
       VALUES ($1, $2, $3, 'Caller', 'Call.', '{http_request}', false)`,
      [agentId, organizationId, projectId],
    );
    // Every turn with a reply waits in the middle of its commit while the lock is held.
    await engines.pool.query(`
      CREATE FUNCTION engine.held() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END $$`);
    await engines.pool.query(`
      CREATE TRIGGER held BEFORE UPDATE ON engine.turn FOR EACH ROW
        WHEN (OLD.answer_id IS NULL AND NEW.answer_id IS NOT NULL) EXECUTE FUNCTION engine.held()`);
    await start();
  });
  afterAll(async () => {
    await engines.close();
    outside.closeAllConnections();
    outside.close();
  });

  const start = (): Promise<string> =>
    engines.start({ TURN_PARALLEL_CALLS: '1', MODEL_BASE_URL: `${urlOf(outside)}/v1` });
  const row = async (id: string) => (await engines.pool.query('SELECT * FROM engine.turn WHERE id = $1', [id])).rows[0];
  const ended = (id: string) =>
    until(`turn ${id} ends`, async () => ['succeeded', 'failed'].includes((await row(id))?.state) && row(id));

  it('still ends every turn, and makes no call twice', async () => {
    const turns = points.map((_point, number) => turnOf({ organizationId, projectId, agentId }, number));
    await Promise.all(turns.map((turn) => engines.jobs.enqueue(turnRun, turn)));
    await until('each turn is at its point', () => points.every((point, number) => asked[number]?.at(-1) === point));
    await engines.last?.kill();
    killed = true;
    await start();
    for (const [number, turn] of turns.entries()) {
      const point = points[number];
      expect(await ended(turn.turn_id)).toMatchObject({ state: 'succeeded', claim: 2, reply_text: 'Done.' });
      expect(asked[number]?.filter((each) => each.startsWith('POST'))).toEqual(['POST /first', 'POST /second']);
      const audit = await engines.pool.query(
        'SELECT outcome, code FROM engine.tool_call WHERE turn_id = $1 ORDER BY seq',
        [turn.turn_id],
      );
      const unknown = { outcome: 'error', code: 'outcome_unknown' };
      const made = { outcome: 'ok', code: null };
      expect(audit.rows).toEqual([point === 'POST /first' ? unknown : made, point === 'POST /second' ? unknown : made]);
      const replies = await engines.pool.query('SELECT answer_id FROM engine.turn WHERE id = $1', [turn.turn_id]);
      expect(replies.rows).toEqual([{ answer_id: expect.stringMatching(/^dlv_/) }]);
    }
    expect(returned).toEqual([...turns, 'asked twice'].map(() => true));
  });

  it.each(fates)('sends one reply when the commit that it is killed in %s', async (fate) => {
    killed = true;
    const rolledBack = fate === 'is rolled back';
    const number = points.length + fates.indexOf(fate);
    const turn = turnOf({ organizationId, projectId, agentId }, number);
    const letGo = await holdCommits();
    try {
      await engines.jobs.enqueue(turnRun, turn);
      const commits = await until('the turn waits for its commit', waitingCommits);
      expect(asked[number]?.at(-1)).toBe('model 2');
      await engines.last?.kill();
      if (rolledBack)
        await engines.pool.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid', [commits]);
    } finally {
      await letGo();
    }
    if (!rolledBack) await ended(turn.turn_id);
    await start();
    const repeated = rolledBack ? ['model 2'] : [];
    expect(await ended(turn.turn_id)).toMatchObject({
      state: 'succeeded',
      claim: 1 + repeated.length,
      reply_text: 'Done.',
    });
    // The answer was not stored, so only it is requested again, and nothing before it.
    expect(asked[number]).toEqual([...points, ...repeated]);
    const replies = await engines.pool.query('SELECT answer_id FROM engine.turn WHERE id = $1', [turn.turn_id]);
    expect(replies.rows).toHaveLength(1);
    await until('the reply is offered to the gateway', () => isInQueue(replies.rows[0].answer_id));
  });

  /** Whether a job of the gateway refers to it: nobody takes those here. */
  async function isInQueue(deliveryId: string): Promise<boolean> {
    const client = new Redis(engines.redis.url);
    try {
      const keys = await client.keys(`*:${deliverySend.queue}:*`);
      for (const key of keys) {
        if ((await client.type(key)) !== 'hash') continue;
        if (JSON.stringify(await client.hgetall(key)).includes(deliveryId)) return true;
      }
      return false;
    } finally {
      client.disconnect();
    }
  }

  /** From here on no turn with a reply can commit. @returns how to end that */
  async function holdCommits(): Promise<() => Promise<void>> {
    const holder = await engines.pool.connect();
    await holder.query('SELECT pg_advisory_lock(1)');
    return async () => {
      await holder.query('SELECT pg_advisory_unlock(1)');
      holder.release();
    };
  }

  /** The Postgres processes that hold the statement which ends a turn. */
  async function waitingCommits(): Promise<number[] | null> {
    const { rows } = await engines.pool.query<{ pid: number }>(
      `SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE locktype = 'advisory' AND NOT granted AND query LIKE '%WITH ending AS%'`,
    );
    return rows.length > 0 ? rows.map(({ pid }) => pid) : null;
  }
});

function toolResults(body: string): number {
  const { messages } = JSON.parse(body) as { messages: { role: string }[] };
  return messages.filter(({ role }) => role === 'tool').length;
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Two write calls in one step, then an answer, depending on the conversation so far. */
function completion(results: number, number: string, url: string): unknown {
  const calls = ['/first', '/second'].map((path, at) => ({
    id: `call_${at}`,
    type: 'function',
    function: {
      name: 'http_request',
      arguments: JSON.stringify({ method: 'POST', url: `${url}${path}?turn ${number}` }),
    },
  }));
  const message =
    results === 0
      ? { role: 'assistant', content: null, reasoning_content: thought, tool_calls: calls }
      : { role: 'assistant', content: 'Done.' };
  return {
    id: 'chat',
    object: 'chat.completion',
    created: 1,
    model: 'fake',
    choices: [{ index: 0, message, finish_reason: results === 0 ? 'tool_calls' : 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}
