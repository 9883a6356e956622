// npm run bench [-- NAME …] [--quick]: runs the named benchmarks, or all of them.
import { ensureBuilt } from './launcher/build.mjs';
import { ensureInstalled } from './launcher/install.mjs';
import { ensureNode } from './launcher/node.mjs';
import { runScript } from './launcher/say.mjs';

/**
 * @typedef {object} Benchmark
 * @property {string} title
 * @property {(quick: boolean) => Promise<string>} run returns its tables
 */
/** @type {Record<string, Benchmark>} */
const benchmarks = {
  ack: {
    title: 'Ack: 64 connections, 1 KB, signed',
    run: async (quick) =>
      (await import('../bench/ack.mjs')).benchAck({ rounds: quick ? 2 : 5, seconds: quick ? 3 : 5, bytes: 1024 }),
  },
  e2e: {
    title: 'End to end: webhook, workflow, turn, HTTP delivery',
    run: async (quick) =>
      (await import('../bench/e2e.mjs')).benchE2e(
        quick
          ? { seconds: 8, burst: 5_000, sizes: [1024] }
          : { seconds: 20, burst: 20_000, sizes: [1024, 4096, 16_384] },
      ),
  },
  peers: {
    title: 'End to end beside others: what people write by hand, and Restate',
    run: async (quick) =>
      (await import('../bench/peers.mjs')).benchPeers(
        quick ? { rounds: 1, seconds: 10, burst: 5_000 } : { rounds: 3, seconds: 15, burst: 10_000 },
      ),
  },
  path: {
    title: 'The path of a message: what one costs at several rates',
    run: async (quick) =>
      (await import('../bench/path.mjs')).benchPath(
        quick ? { seconds: 20, rates: [5] } : { seconds: 30, rates: [5, 20, 100] },
      ),
  },
  budget: {
    title: 'What a message costs each process, by cause',
    run: async (quick) => (await import('../bench/budget.mjs')).benchBudget({ seconds: quick ? 20 : 60, rate: 20 }),
  },
  memory: {
    title: 'Memory: all processes while the ingress is saturated',
    run: async (quick) => (await import('../bench/memory.mjs')).benchMemory({ seconds: quick ? 20 : 60 }),
  },
  scale: {
    title: 'Scale: one of each service and one Redis, and two of each with a Redis Cluster',
    run: async (quick) => (await import('../bench/scale.mjs')).benchScale({ burst: quick ? 3_000 : 20_000 }),
  },
  kept: {
    title: 'Kept: the bytes that a message leaves in Postgres, by table and column',
    run: async (quick) =>
      (await import('../bench/kept.mjs')).benchKept(
        quick ? { messages: 500, rounds: 2, sizes: [1024] } : { messages: 1_000, rounds: 3, sizes: [1024, 10_240] },
      ),
  },
  order: {
    title: 'Order: messages of a session, 35 ms apart, that were handled after a later one',
    run: async (quick) => (await import('../bench/order.mjs')).benchOrder({ messages: quick ? 500 : 5_000 }),
  },
  fair: {
    title: 'Fair share: a second project, quiet and while the first one floods',
    run: async (quick) =>
      (await import('../bench/fair.mjs')).benchFair(quick ? { rounds: 1, seconds: 10 } : { rounds: 3, seconds: 20 }),
  },
  spool: {
    title: 'Spool: 64 connections, 1 KB, signed, acknowledged from the disk while Postgres is stopped',
    run: async (quick) =>
      (await import('../bench/spool.mjs')).benchSpool({ rounds: quick ? 1 : 3, seconds: quick ? 3 : 5 }),
  },
  slow: {
    title: 'Slow clients: 20 good requests a second beside heads, bodies and readers that are slow',
    run: async (quick) => (await import('../bench/slow.mjs')).benchSlow({ seconds: quick ? 4 : 15 }),
  },
  'in-force': {
    title: 'In force: how long a replaced secret and a revoked key still work',
    run: async (quick) => (await import('../bench/in-force.mjs')).benchInForce({ rounds: quick ? 10 : 50 }),
  },
  'adapter-call': {
    title: 'A call of an adapter, bare and by the gateway',
    run: async (quick) =>
      (await import('../bench/adapter-call.mjs')).benchAdapterCall(
        quick ? { rounds: 1, seconds: 2 } : { rounds: 3, seconds: 4 },
      ),
  },
  refresh: {
    title: 'Refreshing a token that rotates',
    run: async (quick) => (await import('../bench/refresh.mjs')).benchRefresh({ callers: quick ? 40 : 200 }),
  },
  vault: {
    title: 'Vault: resolving, and a rotation of the KEK',
    run: async (quick) =>
      (await import('../bench/vault.mjs')).benchVault(
        quick ? { credentials: 20_000, seconds: 3 } : { credentials: 100_000, seconds: 5 },
      ),
  },
  'refresh-due': {
    title: 'Grants that are due in one minute',
    run: async (quick) =>
      (await import('../bench/refresh-due.mjs')).benchRefreshDue(
        quick ? { grants: 1_000, maxSeconds: 60 } : { grants: 10_000, maxSeconds: 240 },
      ),
  },
  parts: {
    title: 'Parts written here, beside the packages they would give way to',
    run: async (quick) =>
      (await import('../bench/parts.mjs')).benchParts(
        quick ? { rounds: 3, checks: 20_000, batches: 200 } : { rounds: 7, checks: 100_000, batches: 1_000 },
      ),
  },
  streaming: {
    title: 'Streaming: first words of a turn, from the model to a reader through the portal',
    run: async () => (await import('../bench/streaming.mjs')).benchStreaming({ together: 20 }),
  },
  'streaming-memory': {
    title: 'Streaming: what one engine holds after many streamed turns',
    run: async (quick) =>
      (await import('../bench/streaming-memory.mjs')).benchStreamingMemory({
        counts: quick ? [50, 100, 150, 200] : [100, 250, 500, 750, 1_000],
      }),
  },
  sanitizer: {
    title: 'Sanitiser: 1 MB of each text',
    run: async () => (await import('../bench/sanitizer.mjs')).benchSanitizer(),
  },
  routing: {
    title: 'Routing: one router, claims, contacts, filters',
    run: async (quick) =>
      (await import('../bench/routing.mjs')).benchRouting(
        quick ? { messages: 3_000, keys: 1_000_000, rounds: 2 } : { messages: 10_000, keys: 10_000_000, rounds: 3 },
      ),
  },
  python: {
    title: 'Python tools: calls by HTTP, children replaced',
    run: async (quick) =>
      (await import('../bench/python.mjs')).benchPython(
        quick ? { calls: 300, seconds: 2, kills: 3 } : { calls: 2_000, seconds: 5, kills: 7 },
      ),
  },
  move: {
    title: 'Move: how long work of a project pauses that moves to another installation, with messages of 1 KB',
    run: async (quick) =>
      (await import('../bench/move.mjs')).benchMove({ sizes: quick ? [2_000] : [10_000, 30_000], bytes: 1024 }),
  },
  home: {
    title: 'Home: what the first page of the console asks for, over the events of a day',
    run: async (quick) =>
      (await import('../bench/home.mjs')).benchHome(
        quick ? { events: 20_000, rounds: 5 } : { events: 150_000, rounds: 15 },
      ),
  },
  lighthouse: {
    title: 'Lighthouse: Home, Events and an App card of the console',
    run: async (quick) =>
      (await import('../bench/console.mjs')).benchLighthouse({ events: 1_000, rounds: quick ? 1 : 3 }),
  },
  scrolling: {
    title: 'Scrolling: the list of events in a browser',
    run: async (quick) => (await import('../bench/console.mjs')).benchScrolling({ events: quick ? 1_000 : 10_000 }),
  },
  start: {
    title:
      'Start: what a warm npm start and idleness cost, each service a process, all in one, and the tree of --beside=DIR',
    run: async (quick) =>
      (await import('../bench/start.mjs')).benchStart({
        ...(quick ? { rounds: 1, idleSeconds: 30 } : { rounds: 3, idleSeconds: 60 }),
        beside: process.argv.find((arg) => arg.startsWith('--beside='))?.slice('--beside='.length),
      }),
  },
  tracing: {
    title: 'Tracing: what a hop costs with its message known, and with spans that are sent',
    run: async (quick) =>
      (await import('../bench/tracing.mjs')).benchTracing(
        quick ? { hops: 32_000, rounds: 2 } : { hops: 64_000, rounds: 4 },
      ),
  },
  traced: {
    title: 'Tracing: a whole system that sends its spans, beside one that sends none',
    run: async (quick) =>
      (await import('../bench/tracing.mjs')).benchTraced(
        quick ? { rounds: 1, seconds: 10, burst: 5_000 } : { rounds: 3, seconds: 15, burst: 10_000 },
      ),
  },
  knowledge: {
    title: 'Knowledge: questions in six languages, and whether the search finds their document',
    run: async () => (await import('../bench/knowledge.mjs')).benchKnowledge(),
  },
  turns: {
    title: 'Turns: what the engine adds to each step',
    run: async (quick) => (await import('../bench/turns.mjs')).benchTurns({ turns: quick ? 40 : 150, steps: 8 }),
  },
};

await runScript(async () => {
  await ensureNode();
  await ensureInstalled();
  await ensureBuilt();
  const args = process.argv.slice(2);
  const asked = args.filter((arg) => !arg.startsWith('--'));
  const wrong = asked.filter((name) => !(name in benchmarks));
  if (wrong.length > 0) {
    throw new Error(`There is no benchmark ${wrong.join(', ')}: ${Object.keys(benchmarks).join(', ')}`);
  }
  for (const [name, { title, run }] of Object.entries(benchmarks)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    const text = await run(args.includes('--quick'));
    process.stdout.write(`\n${title}\n\n${text}\n`);
  }
  process.exit(0);
});
