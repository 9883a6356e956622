import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir } from '../scripts/launcher/project.mjs';
import { startRedis } from '../scripts/launcher/redis.mjs';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { runLoad, startHelper } from './processes.mjs';
import { median, shown, table } from './table.mjs';
import { wearIn } from './wear-in.mjs';

const secret = 'a-signing-secret-for-the-benchmark';
const consumers = ['adapter-gateway', 'router', 'engine', 'adapters'];

/** @typedef {import('./processes.mjs').LoadResult} LoadResult */

/**
 * Time to a signed 2xx. Rounds of the receivers alternate, so that a slow minute of the machine affects all of them.
 * @param {{rounds: number, seconds: number, bytes: number}} options
 */
export async function benchAck({ rounds, seconds, bytes }) {
  const peerDir = join(cacheDir, 'bench', 'peer-redis');
  await rm(peerDir, { recursive: true, force: true });
  const peerRedis = await startRedis({ dir: peerDir });
  const sink = await startHelper('sink.mjs');
  const sinkUrl = `http://127.0.0.1:${sink.ready.port}/replies`;
  const bare = await startHelper('receivers/bare-http.mjs', { secret });
  const peer = await startHelper('receivers/fastify-bullmq.mjs', { secret, redisUrl: peerRedis.url });
  const gatehouse = await startGatehouse({ name: 'ack' });
  const urls = {
    bare: `http://127.0.0.1:${bare.ready.port}/webhook`,
    peer: `http://127.0.0.1:${peer.ready.port}/webhook`,
    gatehouse: (await signedApp(gatehouse, { secret, replyAddress: sinkUrl })).url,
  };
  const { pathname } = new URL(urls.gatehouse);
  const portal = `${gatehouse.urlOf('portal')}${pathname}`;
  let keyed = 0;
  const drive = (/** @type {string} */ url, { length = seconds, withKeys = false } = {}) =>
    runLoad({
      url,
      secret,
      connections: 64,
      seconds: length,
      bytes,
      ...(withKeys ? { keyed: `load-${(keyed += 1)}-` } : {}),
    });
  try {
    await wearIn(gatehouse.postgres.url);
    for (const url of [...Object.values(urls), portal]) await drive(url, { length: 3 });
    await gatehouse.stop(consumers);
    const quiet = await alternate(rounds, [
      ['bare node:http + HMAC, nothing kept', () => drive(urls.bare)],
      ['Fastify + BullMQ add, no worker', () => drive(urls.peer)],
      ['Gatehouse ingress, committed, no consumers', () => drive(urls.gatehouse)],
      ['the same, each with an Idempotency-Key', () => drive(urls.gatehouse, { withKeys: true })],
      ['the same, through the portal', () => drive(portal)],
    ]);
    await gatehouse.close();
    await emptyPeer(peerRedis.url);
    const running = await alternate(rounds, [
      [
        'Fastify + BullMQ add, worker running',
        async () => {
          const worker = await startHelper('receivers/bullmq-worker.mjs', { redisUrl: peerRedis.url, sinkUrl });
          await drive(urls.peer, { length: 1 });
          const result = await drive(urls.peer);
          await worker.stop();
          await emptyPeer(peerRedis.url);
          return result;
        },
      ],
      [
        'Gatehouse ingress, all services running',
        // A fresh installation each time, just as the peer's queue is emptied: neither works off a backlog of earlier
        // rounds.
        async () => {
          const fresh = await startGatehouse({ name: 'ack' });
          try {
            await wearIn(fresh.postgres.url);
            const { url } = await signedApp(fresh, { secret, replyAddress: sinkUrl });
            await drive(url, { length: 1 });
            return await drive(url);
          } finally {
            await fresh.close();
          }
        },
      ],
    ]);
    return report([...quiet, ...running]);
  } finally {
    for (const helper of [bare, peer, sink]) await helper.stop();
    await gatehouse.close();
    await peerRedis.stop();
    await rm(peerDir, { recursive: true, force: true });
  }
}

/**
 * @param {number} rounds
 * @param {Array<[string, () => Promise<LoadResult>]>} contestants
 * @returns {Promise<Array<{name: string, results: LoadResult[]}>>}
 */
async function alternate(rounds, contestants) {
  const all = contestants.map(([name]) => ({ name, results: /** @type {LoadResult[]} */ ([]) }));
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, [name, run]] of contestants.entries()) {
      const result = await run();
      all[index]?.results.push(result);
      process.stdout.write(
        `  ${name}: ${shown(result.perSecond, 0)}/s  p99 ${shown(result.p99)} ms  ${JSON.stringify(result.statuses)}\n`,
      );
    }
  }
  return all;
}

/** Jobs left over without a worker would only slow down the next round. @param {string} redisUrl */
async function emptyPeer(redisUrl) {
  const { Queue } = await import('bullmq');
  const { hostname: host, port } = new URL(redisUrl);
  const queue = new Queue('peer', { connection: { host, port: Number(port) } });
  await queue.obliterate({ force: true });
  await queue.close();
}

/** @param {Array<{name: string, results: LoadResult[]}>} all */
function report(all) {
  const rate = (/** @type {number} */ index) => median(all[index]?.results.map((result) => result.perSecond) ?? []);
  const rows = all.map(({ name, results }) => {
    const of = (/** @type {(result: LoadResult) => number} */ pick) => median(results.map(pick));
    return [
      name,
      shown(
        of((result) => result.perSecond),
        0,
      ),
      shown(of((result) => result.p50)),
      shown(of((result) => result.p99)),
      shown(of((result) => result.p999)),
    ];
  });
  return [
    table(['before the 2xx (medians of the rounds)', 'req/s', 'p50 ms', 'p99 ms', 'p99.9 ms'], rows),
    '',
    `Gatehouse / BullMQ receiver, consumers stopped: ${shown(rate(2) / rate(1), 2)}`,
    `Gatehouse / BullMQ receiver, consumers running: ${shown(rate(6) / rate(5), 2)}`,
    `Gatehouse / bare node:http:                     ${shown(rate(2) / rate(0), 2)}`,
    `Gatehouse with / without an Idempotency-Key:    ${shown(rate(3) / rate(2), 2)}`,
    `Gatehouse through the portal / directly:        ${shown(rate(4) / rate(2), 2)}`,
  ].join('\n');
}
