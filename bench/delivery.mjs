import { setTimeout as pause } from 'node:timers/promises';
import { usageOf } from './costs.mjs';
import { runLoad } from './processes.mjs';

const drainMs = 120_000;
const quietMs = 10_000;

/**
 * @typedef {object} System receives webhooks and posts a reply to each to the sink, with the id of its answer in `in_reply_to`
 * @property {string} url
 * @property {Record<string, number>} pids every process that takes part, the stores among them
 * @property {object} [fields] of each body
 */

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
export async function measureDelivery(system, sinkUrl, { seconds, burst, secret }) {
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
