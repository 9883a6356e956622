import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from '../scripts/launcher/project.mjs';
import { startRedis } from '../scripts/launcher/redis.mjs';
import { services } from '../scripts/launcher/services.mjs';
import { measureDelivery } from './delivery.mjs';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { startHelper } from './processes.mjs';
import { hasRestate, startRestate } from './restate.mjs';
import { median, shown, table } from './table.mjs';
import { wearIn } from './wear-in.mjs';

const secret = 'a-signing-secret-for-the-benchmark';
/** Not involved, but it would slow down a busy machine. */
const without = ['python-runner'];

/** @typedef {import('./delivery.mjs').System & {stop: () => Promise<void>}} Running */

/**
 * Fastify and BullMQ as people write it by hand: only the job is stored.
 * @param {string} sinkUrl @returns {Promise<Running>}
 */
async function byHand(sinkUrl) {
  const dir = join(cacheDir, 'bench', 'peer-redis');
  await rm(dir, { recursive: true, force: true });
  const redis = await startRedis({ dir });
  const receiver = await startHelper('receivers/fastify-bullmq.mjs', { secret, redisUrl: redis.url });
  const worker = await startHelper('receivers/bullmq-worker.mjs', { redisUrl: redis.url, sinkUrl });
  return {
    url: `http://127.0.0.1:${receiver.ready.port}/webhook`,
    pids: { receiver: receiver.pid, worker: worker.pid, redis: redis.pid },
    stop: async () => {
      await receiver.stop();
      await worker.stop();
      await redis.stop();
    },
  };
}

/** @param {string} sinkUrl @returns {Promise<Running>} */
async function ours(sinkUrl) {
  const gatehouse = await startGatehouse({ name: 'peers', without });
  const names = services.map((service) => service.name).filter((name) => !without.includes(name));
  const app = await signedApp(gatehouse, { secret, replyAddress: sinkUrl });
  const workflow = await gatehouse.api('POST', '/workflows', { name: 'Bench', instructions: 'reply: got it' });
  await wearIn(gatehouse.postgres.url);
  return {
    url: app.url,
    fields: { workflow_id: workflow.id },
    pids: {
      ...Object.fromEntries(names.map((name) => [name, gatehouse.pidOf(name)])),
      postgres: gatehouse.postgres.pid,
      redis: gatehouse.redis.pid,
    },
    stop: () => gatehouse.close(),
  };
}

/**
 * The same webhooks and replies with Gatehouse, with Restate and with hand-written code, one after another, in rounds.
 * @param {{rounds: number, seconds: number, burst: number}} options
 */
export async function benchPeers({ rounds, seconds, burst }) {
  const sink = await startHelper('sink.mjs');
  const origin = `http://127.0.0.1:${sink.ready.port}`;
  const sinkUrl = `${origin}/replies`;
  /** @type {Array<[string, () => Promise<Running>]>} */
  const systems = [
    ['Fastify + BullMQ, by hand', () => byHand(sinkUrl)],
    ...(hasRestate()
      ? [
          /** @type {[string, () => Promise<Running>]} */ ([
            'Restate, one node',
            () => startRestate({ secret, sinkUrl }),
          ]),
        ]
      : []),
    ['Gatehouse', () => ours(sinkUrl)],
  ];
  /** @type {Map<string, import('./delivery.mjs').Delivery[]>} */
  const seen = new Map(systems.map(([name]) => [name, []]));
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, start] of systems) {
        const system = await start();
        try {
          const one = await measureDelivery(system, origin, { seconds, burst, secret });
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
  const of = (/** @type {string} */ name, /** @type {keyof import('./delivery.mjs').Delivery} */ what) =>
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
