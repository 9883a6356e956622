import { setTimeout as pause } from 'node:timers/promises';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { runLoad, startHelper } from './processes.mjs';
import { shown, table } from './table.mjs';
import { wearIn } from './wear-in.mjs';

const secret = 'a-signing-secret-for-the-benchmark';
/** Messages per second of the second project. The first one sends more than can be handled. */
const quietRate = 20;
const floodRate = 1_500;
/** The flooding project's limit per second, in the rounds where an operator has set one. */
const limitedRate = 100;
/** The flood starts this much earlier than the measured load. */
const headStartMs = 4_000;
const drainMs = 300_000;

/**
 * A project with little traffic, alone and beside one that floods, which has no limit or a limit of its own. It shows
 * what the flood adds to the small project's latency, from receipt to delivery; the time to the acknowledgement is
 * reported separately.
 * @param {{rounds: number, seconds: number}} options
 */
export async function benchFair({ rounds, seconds }) {
  const gatehouse = await startGatehouse({ name: 'fair', without: ['python-runner'] });
  const flooding = await projectOf(gatehouse, (await gatehouse.api('GET', '/projects')).data[0].id);
  const second = await projectOf(gatehouse, (await gatehouse.api('POST', '/projects', { name: 'Second' })).id);
  const rows = [];
  /** @type {Record<string, number[]>} */
  const ratios = { 'beside the flood': [], 'beside the flood, which has a limit': [] };
  try {
    await wearIn(gatehouse.postgres.url);
    for (const each of [flooding, second]) await each.send({ rate: 150, seconds: 6 });
    await Promise.all([flooding, second].map((each) => each.drained()));
    for (let round = 1; round <= rounds; round += 1) {
      const quiet = await measured(second, seconds);
      rows.push(rowOf(`${round}, alone`, quiet));
      for (const [name, found] of Object.entries(ratios)) {
        await flooding.clear();
        await flooding.limit(name.endsWith('limit') ? limitedRate : null);
        const flood = flooding.send({ rate: floodRate, seconds: seconds + headStartMs / 1_000 });
        await pause(headStartMs);
        const beside = await measured(second, seconds);
        const { accepted } = await flood;
        const handled = await flooding.report();
        await flooding.limit(null);
        await flooding.drained(accepted);
        const all = await flooding.report();
        rows.push(rowOf(`${round}, ${name}`, beside));
        found.push(beside.out.p99 / quiet.out.p99);
        const facts = `flood accepted ${accepted}, delivered ${handled.receipts} by its end and ${all.receipts} in all, doubled ${all.doubled}`;
        process.stdout.write(`  ${JSON.stringify(rows.slice(-2))} ${facts}\n`);
      }
    }
  } finally {
    await gatehouse.close();
    await Promise.all([flooding, second].map((each) => each.close()));
  }
  const shares = Object.entries(ratios).map(
    ([name, found]) => `p99 ${name} to p99 alone: ${found.map((ratio) => shown(ratio, 1)).join(', ')} (aim: 2 at most)`,
  );
  const columns = ['second project', 'accepted', 'delivered', 'ack p50 ms', 'ack p99 ms', 'p50 ms', 'p99 ms'];
  return [table(columns, rows), '', ...shares].join('\n');
}

/**
 * A project with an App and a sink of its own.
 * @param {Awaited<ReturnType<typeof startGatehouse>>} gatehouse
 * @param {string} projectId
 */
async function projectOf({ api, urlOf }, projectId) {
  const sink = await startHelper('sink.mjs');
  const sinkUrl = `http://127.0.0.1:${sink.ready.port}`;
  /** @type {typeof api} */
  const inProject = (method, path, body) => api(method, path, body, projectId);
  const app = await signedApp({ api: inProject, urlOf }, { secret, replyAddress: `${sinkUrl}/replies` });
  const workflow = await inProject('POST', '/workflows', { name: 'Bench', instructions: 'reply: got it' });
  const report = async () => (await fetch(`${sinkUrl}/report`)).json();
  return {
    report,
    send: (/** @type {object} */ load) =>
      runLoad({ url: app.url, secret, connections: 32, fields: { workflow_id: workflow.id }, bytes: 1024, ...load }),
    /** @param {number | null} messages_per_second */
    limit: (messages_per_second) => api('PUT', `/projects/${projectId}/limits`, { messages_per_second }),
    clear: () => fetch(`${sinkUrl}/clear`, { method: 'POST' }),
    close: () => sink.stop(),
    /** Waits until that many were delivered, or no more arrive. @param {number} [count] */
    drained: async (count = Number.POSITIVE_INFINITY) => {
      for (const until = Date.now() + drainMs; Date.now() < until; await pause(100)) {
        const now = await report();
        if (now.receipts >= count || (now.lastAt > 0 && Date.now() - now.lastAt > 10_000)) return;
      }
    },
  };
}

/** @param {Awaited<ReturnType<typeof projectOf>>} project @param {number} seconds */
async function measured(project, seconds) {
  await project.clear();
  const load = await project.send({ rate: quietRate, seconds, connections: 8 });
  await project.drained(load.accepted);
  return { load, out: await project.report() };
}

/** @param {string} name @param {Awaited<ReturnType<typeof measured>>} of */
function rowOf(name, { load, out }) {
  return [name, load.accepted, out.receipts, shown(load.p50), shown(load.p99), shown(out.p50, 0), shown(out.p99, 0)];
}
