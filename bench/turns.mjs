import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { runLoad } from './processes.mjs';
import { median, shown, table } from './table.mjs';

const secret = 'a-signing-secret-for-the-benchmark';

/** Turns that start each second: few enough that none waits for another. */
const rate = 5;
/** A turn that has not ended this long after the last acknowledgement will not end. */
const patienceMs = 60_000;
const idleMs = 5_000;

/**
 * What the engine adds to a turn. A model that answers at once asks for `steps` calls, one per step, of a target that
 * answers at once. Database operations are transactions. Those of a step are the difference between turns with many
 * steps and turns with none; what the services do without any turn is subtracted.
 * @param {{turns: number, steps: number}} options
 * @throws Error when turns fail or do not end
 */
export async function benchTurns({ turns, steps }) {
  /** For each turn, when the model and the target were called and answered. @type {Map<string, number[]>} */
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
  const model = { MODEL_BASE_URL: `${urlOf()}/v1`, MODEL_NAME: 'fake' };
  const gatehouse = await startGatehouse({ name: 'turns', serviceEnv: { engine: model }, without: ['python-runner'] });
  const db = new pg.Client({ connectionString: gatehouse.postgres.url });
  await db.connect();

  let asked = 0;
  /** The number of turns in each state. @returns {Promise<Record<string, number>>} */
  const states = async () => {
    asked += 1;
    const { rows } = await db.query('SELECT state, count(*)::int AS n FROM engine.turn GROUP BY state');
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
  };
  /** Transactions so far, without our own. */
  const transactions = async () => {
    // Postgres publishes its counters with a delay of up to a second.
    await pause(1_500);
    asked += 1;
    const sql = 'SELECT xact_commit::float8 AS n FROM pg_stat_database WHERE datname = current_database()';
    return { n: (await db.query(sql)).rows[0].n - asked, atMs: performance.now() };
  };
  /** Transactions of idle services, per millisecond. */
  async function idle() {
    const before = await transactions();
    await pause(idleMs);
    const after = await transactions();
    return (after.n - before.n) / (after.atMs - before.atMs);
  }

  /**
   * Runs turns with that many calls, and waits until they have ended.
   * @param {number} calls
   * @param {number} count
   * @param {number} idlePerMs
   * @returns transactions of one turn
   */
  async function run(calls, count, idlePerMs) {
    wanted = calls;
    const { succeeded: endedBefore = 0 } = await states();
    const before = await transactions();
    const load = await runLoad({
      url: app.url,
      secret,
      connections: 1,
      fields: {},
      bytes: 512,
      seconds: 600,
      rate,
      count,
    });
    const until = Date.now() + patienceMs;
    for (;;) {
      const { succeeded = 0, failed = 0, ...others } = await states();
      if (failed > 0) throw new Error(`${failed} turns failed: this machine is too busy to measure them`);
      if (succeeded >= endedBefore + load.accepted) break;
      if (Date.now() > until) throw new Error(`turns do not end: ${JSON.stringify({ succeeded, ...others })}`);
      await pause(500);
    }
    const after = await transactions();
    return (after.n - before.n - idlePerMs * (after.atMs - before.atMs)) / load.accepted;
  }

  let app = { url: '' };
  try {
    app = await signedApp(gatehouse, { secret, replyAddress: null });
    const { data } = await gatehouse.api('GET', '/agents');
    await gatehouse.api('PATCH', `/agents/${data[0].id}`, { tools: ['http_request'] });
    await run(steps, 10, 0);
    const idlePerMs = await idle();
    const plain = await run(0, turns, idlePerMs);
    times.clear();
    const many = await run(steps, turns, idlePerMs);
    // For each step: from the model's answer to the call, and from the call's answer to the model.
    const overheads = [...times.values()].flatMap((seen) =>
      Array.from({ length: steps }, (_, step) => {
        const [answered = 0, called = 0, done = 0, next = 0] = seen.slice(4 * step + 1, 4 * step + 5);
        return called - answered + next - done;
      }),
    );
    const p99 = overheads.sort((one, other) => one - other)[Math.floor(overheads.length * 0.99)] ?? 0;
    return table(
      ['turns', 'steps each', 'ms a step p50', 'p99', 'transactions of a turn without steps', 'transactions a step'],
      [[turns, steps, shown(median(overheads), 1), shown(p99, 1), shown(plain, 1), shown((many - plain) / steps, 1)]],
    );
  } finally {
    await db.end();
    await gatehouse.close();
    outside.closeAllConnections();
    outside.close();
  }
}

/** @param {string | null} url of the call to ask for; null: the final answer @param {number} number */
function completion(url, number) {
  const args = JSON.stringify({ method: 'GET', url });
  const calls = [{ id: `call_${number}`, type: 'function', function: { name: 'http_request', arguments: args } }];
  return {
    id: 'chat',
    object: 'chat.completion',
    created: 1,
    model: 'fake',
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
