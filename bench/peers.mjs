import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from '../scripts/launcher/project.mjs';
import { startRedis } from '../scripts/launcher/redis.mjs';
import { hostedServices } from '../scripts/launcher/service-group.mjs';
import { services } from '../scripts/launcher/services.mjs';
import { compareDeliveries, startPath } from './delivery.mjs';
import { startHelper } from './processes.mjs';
import { hasRestate, startRestate } from './restate.mjs';

const secret = 'a-signing-secret-for-the-benchmark';

/** @typedef {import('./delivery.mjs').Running} Running */

const path = hostedServices(services, { GATEHOUSE_SERVICES: 'path' }, []);

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

/**
 * The same webhooks and replies with Gatehouse, with Restate and with hand-written code, one after another, in rounds.
 * @param {{rounds: number, seconds: number, burst: number}} options
 */
export const benchPeers = (options) =>
  compareDeliveries(
    (sinkUrl) => [
      ['Fastify + BullMQ, by hand', () => byHand(sinkUrl)],
      ...(hasRestate() ? [['Restate, one node', () => startRestate({ secret, sinkUrl })]] : []),
      ['Gatehouse', () => startPath({ name: 'peers', secret, sinkUrl })],
      ['Gatehouse, the path in one process', () => startPath({ name: 'peers', secret, sinkUrl, hosted: path })],
    ],
    { ...options, secret },
  );
