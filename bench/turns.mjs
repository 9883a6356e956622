import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { runLoad } from './processes.mjs';
import { median, shown, table } from './table.mjs';

const secret = 'a-signing-secret-for-the-benchmark';

/**
 * What the engine adds to a turn: a model that answers at once asks for `steps` calls, one a step, of a target that answers
 * at once. Database operations are transactions, from the difference between turns with many steps and turns with none,
 * so that what runs beside the turns cancels out.
 * @param {{turns: number, steps: number}} options
 */
export async function benchTurns({ turns, steps }) {
  /** Per turn, when the model and the target were asked and answered. @type {Map<string, number[]>} */
  const times = new Map();
  let wanted = 0;
  const outside = createServer((request, response) => {
    const arrivedMs = performance.now();
    /** @type {Buffer[]} */
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      const isModel = request.url === '/v1/chat/completions';
      const body = Buffer.concat(chunks).toString();
      const turn =
        (isModel
          ? body
              .match(/thread: t\d+/g)
              ?.at(-1)
              ?.slice(8)
          : request.url?.split('/')[1]) ?? '';
      const seen = times.get(turn) ?? [];
      times.set(turn, seen);
      seen.push(arrivedMs);
      const answered = () => void seen.push(performance.now());
      if (!isModel) return response.end('{}', answered);
      /** @type {{role: string}[]} */
      const messages = JSON.parse(body).messages;
      const done = messages.filter(({ role }) => role === 'tool').length;
      response.end(JSON.stringify(completion(done < wanted ? `${urlOf()}/${turn}/${done}` : null, done)), answered);
    });
  });
  await new Promise((resolve) => outside.listen(0, '127.0.0.1', () => resolve(null)));
  const urlOf = () => `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (outside.address()).port}`;
  const model = { MODEL_BASE_URL: `${urlOf()}/v1`, MODEL_NAME: 'stub' };
  const gatehouse = await startGatehouse({ name: 'turns', serviceEnv: { engine: model }, without: ['python-runner'] });
  const db = new pg.Client({ connectionString: gatehouse.postgres.url });
  await db.connect();

  /** Lets turns of so many calls run, and waits for their ends. @param {number} calls @param {number} count */
  async function run(calls, count) {
    wanted = calls;
    const ended = async () =>
      (await db.query("SELECT count(*)::int AS n FROM engine.turn WHERE state = 'succeeded'")).rows[0].n;
    const transactions = async () => {
      // Postgres publishes its counters with a delay of up to a second.
      await pause(1_500);
      const sql = 'SELECT xact_commit::float8 AS n FROM pg_stat_database WHERE datname = current_database()';
      return (await db.query(sql)).rows[0].n;
    };
    const endedBefore = await ended();
    const before = await transactions();
    const startedMs = Date.now();
    const load = await runLoad({
      url: app.url,
      secret,
      connections: 1,
      fields: {},
      bytes: 512,
      seconds: 600,
      rate: 20,
      count,
    });
    while ((await ended()) < endedBefore + load.accepted) await pause(250);
    const tookMs = Date.now() - startedMs;
    return { perTurn: ((await transactions()) - before) / load.accepted, tookMs };
  }

  let app = { url: '' };
  try {
    app = await signedApp(gatehouse, { secret, replyAddress: null });
    const { data } = await gatehouse.api('GET', '/agents');
    await gatehouse.api('PATCH', `/agents/${data[0].id}`, { tools: ['http_request'] });
    await run(steps, 20);
    const plain = await run(0, turns);
    times.clear();
    const many = await run(steps, turns);
    const gaps = [...times.values()].flatMap((seen) =>
      seen.flatMap((ms, at) => (at > 0 && at % 2 === 0 ? [ms - (seen[at - 1] ?? ms)] : [])),
    );
    const sorted = gaps.sort((a, b) => a - b);
    const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
    return table(
      ['turns', 'steps each', 'ms a step p50', 'p99', 'transactions a turn without steps', 'a step more'],
      [
        [
          turns,
          steps,
          shown(median(gaps), 1),
          shown(p99, 1),
          shown(plain.perTurn, 1),
          shown((many.perTurn - plain.perTurn) / steps, 1),
        ],
      ],
    );
  } finally {
    await db.end();
    await gatehouse.close();
    outside.closeAllConnections();
    outside.close();
  }
}

/** @param {string | null} url of the call that is asked for; null: the answer @param {number} number */
function completion(url, number) {
  const args = JSON.stringify({ method: 'GET', url });
  const calls = [{ id: `call_${number}`, type: 'function', function: { name: 'http_request', arguments: args } }];
  return {
    id: 'chat',
    object: 'chat.completion',
    created: 1,
    model: 'stub',
    choices: [
      {
        index: 0,
        message: url
          ? { role: 'assistant', content: null, tool_calls: calls }
          : { role: 'assistant', content: 'Done.' },
        finish_reason: url ? 'tool_calls' : 'stop',
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}
