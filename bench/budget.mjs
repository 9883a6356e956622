import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../scripts/launcher/ports.mjs';
import { root } from '../scripts/launcher/project.mjs';
import { usageOf } from './costs.mjs';
import { delivered } from './delivery.mjs';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { inspectCpu } from './inspector.mjs';
import { runLoad, startHelper } from './processes.mjs';
import { shown, table } from './table.mjs';

/** @typedef {import('./inspector.mjs').CpuProfile} CpuProfile */

const secret = 'a-signing-secret-for-the-benchmark';
/** What a message passes, in its order. */
const path = ['webhook-ingress', 'router', 'engine', 'adapter-gateway'];
const without = ['python-runner', 'mcp-registry', 'adapters'];
/** Long enough that caches hold what they hold and counters are published. */
const settledMs = 15_000;

/** Whose a frame is, by its package, or by its file: the first that matches. @type {Array<[cause: string, of: RegExp]>} */
const causes = [
  ['BullMQ', /^bullmq$/],
  ['Redis client', /^ioredis$/],
  ['Postgres client', /^(pg|typeorm|@nestjs\/typeorm)$/],
  ['Fastify, Nest', /^(fastify|@fastify\/.+|@nestjs\/.+|rxjs|reflect-metadata)$/],
  ['spans, metrics', /^(@opentelemetry\/.+|prom-client)$/],
  ['logs', /^pino$/],
  ['HTTP client', /^undici$|node:internal\/deps\/undici/],
  ['validation', /^(class-validator|class-transformer|ajv)$/],
  ['tokens', /^(jose|openid-client)$/],
  ['other packages', /^(?!node:)[^/]+(\/[^/]+)?$/],
  ['Gatehouse', /\/dist\/(apps|libs)\//],
];
const rest = 'Node itself';
const garbage = 'garbage';

const packages = join(root, 'dist', 'node_modules');

/**
 * The packages as the build joined them: what several share stands in a chunk, and is the one's whose file is hardly
 * more than that import. @returns {Map<string, string>} names of packages by that of a chunk
 */
function packagesOfChunks() {
  /** @type {Map<string, {name: string, bytes: number}>} */
  const found = new Map();
  for (const file of readdirSync(packages, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.js') || file.startsWith('.chunks')) continue;
    const text = readFileSync(join(packages, file), 'utf8');
    const one = { name: packageOf(file), bytes: text.length };
    for (const [, chunk = ''] of text.matchAll(/\.chunks\/([\w.-]+\.js)/g)) {
      if (one.bytes < (found.get(chunk)?.bytes ?? Infinity)) found.set(chunk, one);
    }
  }
  return new Map([...found].map(([chunk, { name }]) => [chunk, name]));
}

/** @param {string} file below node_modules */
const packageOf = (file) =>
  file
    .split('/')
    .slice(0, file.startsWith('@') ? 2 : 1)
    .join('/');

const chunks = packagesOfChunks();

/** @param {string} url of a frame @returns {string} its package, or the URL itself */
function ownerOf(url) {
  const [, chunk] = /\.chunks\/([^/]+)$/.exec(url) ?? [];
  if (chunk) return chunks.get(chunk) ?? 'unknown';
  const [, inside] = /node_modules\/(.+)$/.exec(url) ?? [];
  return inside ? packageOf(inside) : url;
}

/**
 * The CPU of a profile in µs, by whose it is: a frame of Node's own belongs to the nearest caller that is not.
 * @param {CpuProfile} profile
 * @returns {{byCause: Map<string, number>, byPlace: Map<string, number>}} byPlace: functions by their own time
 */
function attribute({ nodes, samples, timeDeltas }) {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  /** @type {Map<number, string>} */
  const known = new Map();
  /** @param {number} id @returns {string} */
  const causeOf = (id) => {
    const kept = known.get(id);
    if (kept) return kept;
    const node = byId.get(id);
    const { functionName = '', url = '' } = node?.callFrame ?? {};
    const parent = parents.get(id);
    const cause =
      functionName === '(garbage collector)'
        ? garbage
        : (causes.find(([, of]) => of.test(ownerOf(url)))?.[0] ?? (parent === undefined ? rest : causeOf(parent)));
    known.set(id, cause);
    return cause;
  };
  /** @type {Map<string, number>} */
  const byCause = new Map();
  /** @type {Map<string, number>} */
  const byPlace = new Map();
  for (const [at, id] of samples.entries()) {
    const { functionName = '', url = '', lineNumber = 0 } = byId.get(id)?.callFrame ?? {};
    if (functionName === '(idle)' || functionName === '(root)') continue;
    const took = timeDeltas[at] ?? 0;
    const place = `${functionName || '(anonymous)'} ${url.replace(/^.*\/(node_modules|dist)\//, '')}:${lineNumber + 1}`;
    byCause.set(causeOf(id), (byCause.get(causeOf(id)) ?? 0) + took);
    byPlace.set(place, (byPlace.get(place) ?? 0) + took);
  }
  return { byCause, byPlace };
}

/** @param {Map<string, number>} busy @param {Map<string, number>} idle */
const minus = (busy, idle) => new Map([...busy].map(([key, took]) => [key, took - (idle.get(key) ?? 0)]));

/**
 * What a message costs each process of its path, by cause: sampled while messages come at a rate, less what was sampled
 * in an idle window of the same length. *All* is what the system counts of the same windows, threads that V8 samples
 * nothing of included (its compilers, its collectors, those of files and names).
 * @param {{seconds: number, rate: number}} options
 */
export async function benchBudget({ seconds, rate }) {
  const sink = await startHelper('sink.mjs');
  const sinkUrl = `http://127.0.0.1:${sink.ready.port}`;
  const ports = await Promise.all(path.map(() => freePort()));
  const flags = Object.fromEntries(path.map((name, at) => [name, [`--inspect=127.0.0.1:${ports[at]}`]]));
  const gatehouse = await startGatehouse({ name: 'budget', without, flags });
  try {
    const app = await signedApp(gatehouse, { secret, replyAddress: `${sinkUrl}/replies` });
    const workflow = await gatehouse.api('POST', '/workflows', { name: 'Bench', instructions: 'reply: got it' });
    const load = { url: app.url, secret, connections: 64, bytes: 1024, fields: { workflow_id: workflow.id } };
    const pids = {
      ...Object.fromEntries(path.map((name) => [name, gatehouse.pidOf(name)])),
      postgres: gatehouse.postgres.pid,
      redis: gatehouse.redis.pid,
    };
    const cpus = await Promise.all(ports.map((port) => inspectCpu(port)));
    /** @param {() => Promise<any>} work */
    const during = async (work) => {
      const before = await usageOf(pids);
      await Promise.all(cpus.map((cpu) => cpu.start()));
      const endsAt = Date.now() + seconds * 1_000 + 2_000;
      const gave = await work();
      await pause(Math.max(0, endsAt - Date.now()));
      const profiles = await Promise.all(cpus.map((cpu) => cpu.stop()));
      const after = await usageOf(pids);
      return { gave, parts: profiles.map(attribute), before, after };
    };
    await runLoad({ ...load, seconds: 10, rate: 200 });
    await pause(settledMs);
    const idle = await during(async () => undefined);
    await fetch(`${sinkUrl}/clear`, { method: 'POST' });
    const busy = await during(async () => {
      const sent = await runLoad({ ...load, seconds, rate });
      await delivered(sinkUrl, sent.accepted);
      return sent;
    });
    const messages = busy.gave.accepted;
    const parts = path.map((_, at) => ({
      byCause: minus(busy.parts[at]?.byCause ?? new Map(), idle.parts[at]?.byCause ?? new Map()),
      byPlace: minus(busy.parts[at]?.byPlace ?? new Map(), idle.parts[at]?.byPlace ?? new Map()),
    }));
    const ms = (/** @type {number} */ micros) => micros / 1_000 / messages;
    const rows = [...causes.map(([cause]) => cause), rest, garbage].map((cause) => {
      const each = parts.map(({ byCause }) => ms(byCause.get(cause) ?? 0));
      return [
        cause,
        ...each.map((one) => shown(one, 2)),
        shown(
          each.reduce((sum, one) => sum + one, 0),
          2,
        ),
      ];
    });
    const used = (/** @type {string} */ name) =>
      ((busy.after.cpuMs[name] ?? 0) -
        (busy.before.cpuMs[name] ?? 0) -
        ((idle.after.cpuMs[name] ?? 0) - (idle.before.cpuMs[name] ?? 0))) /
      messages;
    const all = Object.keys(pids).map(used);
    const places = path.map((name, at) => {
      const top = [...(parts[at]?.byPlace ?? [])].sort(([, a], [, b]) => b - a).slice(0, 12);
      return [`${name}:`, ...top.map(([place, took]) => `  ${shown(ms(took), 3)}  ${place}`)].join('\n');
    });
    return [
      table(
        [`CPU ms a message, ${rate}/s`, ...path, 'sum'],
        [...rows, ['All, by the system', ...path.map((name) => shown(used(name), 2)), '']],
      ),
      '',
      `Postgres ${shown(used('postgres'), 2)}, Redis ${shown(used('redis'), 2)}; all processes ${shown(
        all.reduce((sum, one) => sum + one, 0),
        2,
      )}. The functions with the most time of their own:`,
      '',
      ...places,
    ].join('\n');
  } finally {
    await gatehouse.close();
    await sink.stop();
  }
}
