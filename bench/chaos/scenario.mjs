import { setTimeout as pause } from 'node:timers/promises';
import { runLoad } from '../processes.mjs';

/** A slower delivery counts as not yet recovered. */
const lateMs = 1_000;

/**
 * @typedef {object} Outcome
 * @property {string} name
 * @property {number} offered requests the generator made
 * @property {number} sent requests that were answered or cut off; fewer than offered where the generator is late
 * @property {number} acknowledged 2xx
 * @property {Record<string, number>} answers by status; `cut`: connections that closed before their answer
 * @property {Record<string, number>} refused by code, as the list of refusals has it
 * @property {number} lost acknowledged, and unknown to the platform
 * @property {number} stuck acknowledged, and neither delivered nor in a named end state
 * @property {number} ended acknowledged, not delivered, but in a named end state
 * @property {number} doubled receipts delivered under more than one Idempotency-Key
 * @property {number} repeated requests whose key the receiver had applied already
 * @property {number} recoveredMs from the fault to the last late delivery
 * @property {number} tailMs from the end of the cause to the last late delivery
 * @property {number} outageMs from the end of the cause to the delivery of the last message that was sent before it
 * @property {number} worstMs the longest time that a message took
 * @property {string[]} examples ids of those that were not delivered
 */

/**
 * Sends at a steady rate, injects the fault after a quarter of the time, and counts the outcome of every acknowledged
 * message.
 * @param {object} on
 * @param {import('./faults.mjs').Fault} on.fault
 * @param {import('./installation.mjs').Installation} on.installation
 * @param {import('./faults.mjs').FickleAdapter | null} on.adapter null: the fault needs none
 * @param {string} on.sink its origin
 * @param {{url: string, secret: string, workflowId: number}} on.app
 * @param {{projectId: string, path: string, fields: object}[]} [on.others] webhooks of further projects
 * @param {number} on.rate per second
 * @param {number} on.seconds
 * @param {number} [on.connections] of the generator
 * @param {number} on.settleMs how long after the load a message may still arrive
 * @returns {Promise<Outcome>}
 */
export async function runScenario({
  fault,
  installation,
  adapter,
  sink,
  app,
  others = [],
  rate,
  seconds,
  settleMs,
  connections = 32,
}) {
  await fetch(`${sink}/clear`, { method: 'POST' });
  const run = `run${Date.now()}`;
  const loading = runLoad({
    url: app.url,
    secret: app.secret,
    connections,
    seconds,
    rate,
    bytes: 512,
    keepIds: true,
    fields: { workflow_id: app.workflowId, run },
    others: others.map(({ path, fields }) => ({ path, fields: { ...fields, run } })),
  });
  await pause((seconds * 1000) / 4);
  const struckAt = Date.now();
  await fault.strike(installation, /** @type {import('./faults.mjs').FickleAdapter} */ (adapter));
  const mendedAt = Date.now();
  const load = await loading;
  const nameOf = (/** @type {[string, number]} */ [id, n]) => (fault.route === 'adapter' ? `${run}-${n}` : id);
  /** @type {Map<string, {at: number, deliveries: number}>} */
  let arrivals = new Map();
  const missing = () => load.ids.filter((pair) => !arrivals.has(nameOf(pair)));
  for (const until = Date.now() + settleMs; Date.now() < until; await pause(250)) {
    const rows = await (await fetch(`${sink}/arrivals`)).json();
    arrivals = new Map(
      rows.map((/** @type {[string, number, number]} */ [id, at, deliveries]) => [id, { at, deliveries }]),
    );
    if (missing().length === 0) break;
  }
  const report = await (await fetch(`${sink}/report`)).json();
  const { lost, stuck, ended } = await examine(
    installation,
    missing().map(([id]) => id),
    others.map(({ projectId }) => projectId),
  );
  const took = load.ids.flatMap((pair) => {
    const arrival = arrivals.get(nameOf(pair));
    return arrival ? [{ at: arrival.at, ms: arrival.at - Number.parseInt(pair[0].slice(4, 16), 16) }] : [];
  });
  const late = took.filter(({ at, ms }) => ms > lateMs && at > struckAt).map(({ at }) => at);
  return {
    name: fault.name,
    offered: rate * seconds,
    sent: load.refused + Object.values(load.statuses).reduce((sum, count) => sum + count, 0),
    answers: { ...load.statuses, cut: load.refused },
    refused: await refusedSince(installation, struckAt),
    acknowledged: load.ids.length,
    lost: lost.length,
    stuck: stuck.length,
    ended,
    doubled: [...arrivals.values()].filter(({ deliveries }) => deliveries > 1).length,
    repeated: report.requests - report.applied,
    recoveredMs: late.length > 0 ? Math.max(...late) - struckAt : 0,
    tailMs: Math.max(0, ...late.map((at) => at - mendedAt)),
    outageMs: Math.max(0, ...took.filter(({ at, ms }) => at - ms < mendedAt).map(({ at }) => at - mendedAt)),
    worstMs: Math.max(0, ...took.map(({ ms }) => ms)),
    examples: [...lost, ...stuck].slice(0, 3),
  };
}

/**
 * Why the platform says that it refused, by code; what it never saw is not among it.
 * @param {import('./installation.mjs').Installation} installation
 * @param {number} since
 */
async function refusedSince(installation, since) {
  /** @type {Record<string, number>} */
  const codes = {};
  let cursor = '';
  do {
    const page = await installation.api('GET', `/refusals?limit=100${cursor && `&cursor=${cursor}`}`);
    const recent = page.data.filter((/** @type {{at: string}} */ { at }) => Date.parse(at) >= since);
    for (const { code, times } of recent) codes[code] = (codes[code] ?? 0) + times;
    cursor = recent.length === page.data.length ? (page.next_cursor ?? '') : '';
  } while (cursor !== '');
  return codes;
}

/**
 * What the platform reports about receipts that were not delivered. A dead letter or a failed run is a named end.
 * @param {import('./installation.mjs').Installation} installation
 * @param {string[]} ids
 * @param {string[]} projectIds besides the installation's first
 */
async function examine(installation, ids, projectIds) {
  const lost = [];
  const stuck = [];
  let ended = 0;
  for (const id of ids) {
    const event = await eventOf(installation, id, projectIds);
    const last = event?.timeline?.findLast(
      (/** @type {{stage: string}} */ entry) => entry.stage === 'delivery' || entry.stage === 'turn',
    );
    const named =
      ['dead', 'failed', 'unknown'].includes(last?.outcome) || (event?.outcome && event.outcome !== 'routed');
    if (named) ended += 1;
    else if (event) stuck.push(id);
    else lost.push(id);
  }
  return { lost, stuck, ended };
}

/**
 * @param {import('./installation.mjs').Installation} installation
 * @param {string} id
 * @param {string[]} projectIds besides the installation's first
 * @returns {Promise<any>} null: the platform says that no project has it
 */
async function eventOf(installation, id, projectIds) {
  for (const projectId of [undefined, ...projectIds]) {
    const event = await eventIn(installation, id, projectId);
    if (event) return event;
  }
  return null;
}

/**
 * @param {import('./installation.mjs').Installation} installation
 * @param {string} id
 * @param {string} [projectId]
 * @returns {Promise<any>} null: the platform says that there is none; an API that is away is asked again
 */
async function eventIn(installation, id, projectId) {
  for (const until = Date.now() + 60_000; ; await pause(1_000)) {
    try {
      return await installation.api('GET', `/events/${id}`, undefined, projectId);
    } catch (error) {
      if (/ answered 404/.test(String(error))) return null;
      if (Date.now() > until) throw error;
    }
  }
}
