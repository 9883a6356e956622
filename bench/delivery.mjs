import { setTimeout as pause } from 'node:timers/promises';
import { services } from '../scripts/launcher/services.mjs';
import { usageOf } from './costs.mjs';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { runLoad, startHelper } from './processes.mjs';
import { median, shown, table } from './table.mjs';
import { wearIn } from './wear-in.mjs';

const drainMs = 120_000;
const quietMs = 10_000;
/** Not involved, but it would slow down a busy machine. */
const without = ['python-runner'];

/**
 * @typedef {object} System receives webhooks and posts a reply to each to the sink, with the id of its answer in `in_reply_to`
 * @property {string} url
 * @property {Record<string, number>} pids every process that takes part, the stores among them
 * @property {object} [fields] of each body
 */

/** @typedef {System & {stop: () => Promise<void>}} Running */

/** @param {string} sinkUrl */
export const reportOf = async (sinkUrl) => (await fetch(`${sinkUrl}/report`)).json();

/** Waits until that many messages were delivered, or no more arrive. @param {string} sinkUrl @param {number} count */
export async function delivered(sinkUrl, count) {
  for (const until = Date.now() + drainMs; Date.now() < until; await pause(100)) {
    const now = await reportOf(sinkUrl);
    if (now.receipts >= count || (now.lastAt > 0 && Date.now() - now.lastAt > quietMs)) return now;
  }
  return reportOf(sinkUrl);
}

/**
 * @param {System} system @param {string} sinkUrl @param {object} load @returns the latency of each message in ms, by
 *   the clocks of the sender and the sink
 */
async function steady({ url, pids, fields }, sinkUrl, load) {
  await fetch(`${sinkUrl}/clear`, { method: 'POST' });
  const before = await usageOf(pids);
  const sent = await runLoad({ url, fields, keepIds: true, connections: 64, ...load });
  await delivered(sinkUrl, sent.accepted);
  const after = await usageOf(pids);
  const arrivals = new Map(
    (await (await fetch(`${sinkUrl}/arrivals`)).json()).map((/** @type {[string, number]} */ [id, at]) => [id, at]),
  );
  const took = sent.ids
    .flatMap(([id, , dueAt]) => (arrivals.has(id) ? [arrivals.get(id) - dueAt] : []))
    .sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;
  return {
    p50: at(0.5),
    p99: at(0.99),
    cpuMs: cpuBetween(before, after) / sent.accepted,
    lost: sent.accepted - took.length,
  };
}

/**
 * @typedef {object} Delivery of one system under one load
 * @property {number} p50 ms from when a message was due until its reply reached the sink, at 100/s
 * @property {number} p99 ms
 * @property {number} cpuMs20 CPU of all processes for each message, at 20/s
 * @property {number} cpuMs100 at 100/s
 * @property {number} perSecond messages of the burst that were delivered
 * @property {number} cpuMsBurst
 * @property {number} lost accepted, but not delivered
 * @property {number} doubled
 */

/**
 * @param {System} system @param {string} sinkUrl
 * @param {{seconds: number, burst: number, secret: string}} options
 * @returns {Promise<Delivery>}
 */
async function measureDelivery(system, sinkUrl, { seconds, burst, secret }) {
  const load = { secret, bytes: 1024, seconds };
  // Warms up just-in-time compilation and the caches of rules and agents.
  await steady(system, sinkUrl, { ...load, seconds: 6, rate: 300 });
  const slow = await steady(system, sinkUrl, { ...load, rate: 20 });
  const brisk = await steady(system, sinkUrl, { ...load, rate: 100 });
  await fetch(`${sinkUrl}/clear`, { method: 'POST' });
  const before = await usageOf(system.pids);
  const began = Date.now();
  const sent = await runLoad({
    ...load,
    url: system.url,
    fields: system.fields,
    connections: 64,
    seconds: drainMs / 1000,
    count: burst,
  });
  const out = await delivered(sinkUrl, sent.accepted);
  const after = await usageOf(system.pids);
  return {
    p50: brisk.p50,
    p99: brisk.p99,
    cpuMs20: slow.cpuMs,
    cpuMs100: brisk.cpuMs,
    perSecond: out.receipts / ((out.lastAt - began) / 1000),
    cpuMsBurst: cpuBetween(before, after) / sent.accepted,
    lost: slow.lost + brisk.lost + sent.accepted - out.receipts,
    doubled: out.doubled,
  };
}

/** @param {{cpuMs: Record<string, number>}} before @param {{cpuMs: Record<string, number>}} after */
const cpuBetween = (before, after) =>
  Object.entries(after.cpuMs).reduce((sum, [name, ms]) => sum + ms - (before.cpuMs[name] ?? 0), 0);

/**
 * Gatehouse with an App and a workflow that replies to the sink.
 * @param {{name: string, secret: string, sinkUrl: string, env?: NodeJS.ProcessEnv, hosted?: string[]}} options as
 *   `startGatehouse`
 * @returns {Promise<Running>}
 */
export async function startPath({ name, secret, sinkUrl, ...options }) {
  const gatehouse = await startGatehouse({ name, without, ...options });
  try {
    return await pathOf(gatehouse, { secret, sinkUrl });
  } catch (error) {
    await gatehouse.close();
    throw error;
  }
}

/** @param {Awaited<ReturnType<typeof startGatehouse>>} gatehouse @param {{secret: string, sinkUrl: string}} options */
async function pathOf(gatehouse, { secret, sinkUrl }) {
  const names = services.map((service) => service.name).filter((each) => !without.includes(each));
  // Services of one process have one number: it counts once.
  const processes = new Map(names.map((each) => [gatehouse.pidOf(each), each]));
  const app = await signedApp(gatehouse, { secret, replyAddress: sinkUrl });
  const workflow = await gatehouse.api('POST', '/workflows', { name: 'Bench', instructions: 'reply: got it' });
  await wearIn(gatehouse.postgres.url);
  return {
    url: app.url,
    fields: { workflow_id: workflow.id },
    pids: {
      ...Object.fromEntries([...processes].map(([pid, each]) => [each, pid])),
      postgres: gatehouse.postgres.pid,
      redis: gatehouse.redis.pid,
    },
    stop: () => gatehouse.close(),
  };
}

/**
 * Measures systems one after another, in rounds, with one sink. A number of the table is the median of its rounds.
 * @param {(sinkUrl: string) => Array<[name: string, start: () => Promise<Running>]>} systemsOf
 * @param {{rounds: number, seconds: number, burst: number, secret: string}} options
 */
export async function compareDeliveries(systemsOf, { rounds, ...options }) {
  const sink = await startHelper('sink.mjs');
  const origin = `http://127.0.0.1:${sink.ready.port}`;
  const systems = systemsOf(`${origin}/replies`);
  /** @type {Map<string, Delivery[]>} */
  const seen = new Map(systems.map(([name]) => [name, []]));
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, start] of systems) {
        const system = await start();
        try {
          const one = await measureDelivery(system, origin, options);
          seen.get(name)?.push(one);
          process.stdout.write(`  ${name} ${JSON.stringify(one)}\n`);
        } finally {
          await system.stop();
        }
      }
    }
  } finally {
    await sink.stop();
  }
  const of = (/** @type {string} */ name, /** @type {keyof Delivery} */ what) =>
    median((seen.get(name) ?? []).map((one) => one[what]));
  return table(
    [
      'system',
      'p50 ms at 100/s',
      'p99',
      'CPU ms at 20/s',
      'at 100/s',
      'burst, messages/s',
      'CPU ms',
      'lost',
      'doubled',
    ],
    systems.map(([name]) => [
      name,
      shown(of(name, 'p50')),
      shown(of(name, 'p99')),
      shown(of(name, 'cpuMs20')),
      shown(of(name, 'cpuMs100')),
      shown(of(name, 'perSecond'), 0),
      shown(of(name, 'cpuMsBurst'), 2),
      of(name, 'lost'),
      of(name, 'doubled'),
    ]),
  );
}
