import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { askRedis } from '../scripts/launcher/ask-redis.mjs';
import { services } from '../scripts/launcher/services.mjs';
import { copyOf } from './copy-of.mjs';
import { costs } from './costs.mjs';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { runLoad, startHelper } from './processes.mjs';
import { shown, table } from './table.mjs';

const secret = 'a-signing-secret-for-the-benchmark';
const drainMs = 180_000;
/** Not involved, but they would slow down a busy machine. */
const without = ['python-runner', 'mcp-registry'];
/** Services whose replicas share the work from queues or senders. */
const shared = ['webhook-ingress', 'adapter-gateway', 'router', 'engine'];

/**
 * A burst through one process of each service and one Redis, and through two of each and a Cluster of two nodes. It
 * checks that each message is delivered once, how replicas and nodes share the work, and what a message costs. On one
 * machine it cannot show how much faster more machines are.
 * @param {{burst: number}} options
 */
export async function benchScale({ burst }) {
  const sizes = [
    { replicas: 1, redisNodes: 1 },
    { replicas: 2, redisNodes: 2 },
  ];
  const rows = [];
  const shares = [];
  for (const size of sizes) {
    const { row, share } = await oneSize(size, burst);
    rows.push(row);
    shares.push(...share);
    process.stdout.write(`  ${JSON.stringify(row)}\n`);
  }
  const head = [
    'processes of a service',
    'Redis nodes',
    'accepted',
    'delivered',
    'doubled',
    'messages/s',
    'CPU ms',
    'commits',
    'rows',
  ];
  return [
    table([...head, 'Redis commands', 'WAL bytes', 'bytes kept'], rows),
    '',
    table(['of two', 'share of the first', 'share of the second'], shares),
  ].join('\n');
}

/** @param {{replicas: number, redisNodes: number}} size @param {number} burst */
async function oneSize({ replicas, redisNodes }, burst) {
  const sink = await startHelper('sink.mjs');
  const sinkUrl = `http://127.0.0.1:${sink.ready.port}`;
  const gatehouse = await startGatehouse({ name: 'scale', without, replicas, redisNodes });
  const nodes = 'nodes' in gatehouse.redis ? gatehouse.redis.nodes : [gatehouse.redis];
  const copies = Array.from({ length: replicas }, (_, index) => index + 1);
  const names = services.map(({ name }) => name).filter((name) => !without.includes(name));
  const pids = {
    ...Object.fromEntries(
      names.flatMap((name) => copies.map((n) => [copyOf(name, n), gatehouse.pidOf(copyOf(name, n))])),
    ),
    postgres: gatehouse.postgres.pid,
    ...Object.fromEntries(nodes.map(({ pid }, index) => [`redis ${index}`, pid])),
  };
  const read = async () => ({
    ...(await costs(pids, { databaseUrl: gatehouse.postgres.url, redisUrl: nodes[0]?.url ?? '' })),
    commands: await Promise.all(nodes.map(({ url }) => commandsOf(url))),
    ...(await bytesOf(gatehouse.postgres.url)),
  });
  const report = async () => (await fetch(`${sinkUrl}/report`)).json();
  /** @param {number} count */
  async function delivered(count) {
    for (const until = Date.now() + drainMs; Date.now() < until; await pause(100)) {
      const now = await report();
      if (now.receipts >= count) break;
    }
    return report();
  }
  try {
    const app = await signedApp(gatehouse, { secret, replyAddress: `${sinkUrl}/replies` });
    const workflow = await gatehouse.api('POST', '/workflows', { name: 'Bench', instructions: 'reply: got it' });
    const path = new URL(app.url).pathname;
    /** Senders spread over the endpoints, as behind a load balancer. @param {number} count @param {object} how */
    async function send(count, how) {
      const load = { secret, connections: 64 / replicas, fields: { workflow_id: workflow.id }, bytes: 1024, ...how };
      const each = copies.map((n) => ({
        ...load,
        url: `${gatehouse.urlOf(copyOf('webhook-ingress', n))}${path}`,
        count: Math.ceil(count / replicas),
      }));
      const sent = await Promise.all(each.map((one) => runLoad(one)));
      return sent.reduce((sum, { accepted }) => sum + accepted, 0);
    }
    const warm = await send(1_500, { seconds: 30, rate: 300 / replicas });
    await delivered(warm);
    await fetch(`${sinkUrl}/clear`, { method: 'POST' });
    const before = await read();
    const beganMs = Date.now();
    const accepted = await send(burst, { seconds: drainMs / 1_000 });
    const out = await delivered(accepted);
    // Postgres publishes its counters with a delay of up to a second.
    await pause(1_500);
    const after = await read();
    const cpuOf = (/** @type {string} */ name) => (after.cpuMs[name] ?? 0) - (before.cpuMs[name] ?? 0);
    const commands = after.commands.map((count, index) => count - (before.commands[index] ?? 0));
    const per = (/** @type {number} */ value, digits = 2) => shown(value / accepted, digits);
    const cpu = Object.keys(pids).reduce((sum, name) => sum + cpuOf(name), 0);
    const row = [
      replicas,
      redisNodes,
      accepted,
      out.receipts,
      out.doubled,
      shown(out.receipts / ((out.lastAt - beganMs) / 1_000), 0),
      per(cpu),
      per(after.commits - before.commits),
      per(after.rows - before.rows),
      per(
        commands.reduce((sum, count) => sum + count, 0),
        1,
      ),
      per(after.wal - before.wal, 0),
      per(after.stored - before.stored, 0),
    ];
    const split = (/** @type {string} */ what, /** @type {number[]} */ parts) => {
      const sum = parts.reduce((all, part) => all + part, 0);
      return [what, ...parts.map((part) => `${shown((100 * part) / sum, 0)} %`)];
    };
    const share =
      replicas === 1
        ? []
        : [
            ...shared.map((name) =>
              split(
                `CPU of ${name}`,
                copies.map((n) => cpuOf(copyOf(name, n))),
              ),
            ),
            split('commands of Redis', commands),
          ];
    return { row, share };
  } finally {
    await gatehouse.close();
    await sink.stop();
  }
}

/** @param {string} url @returns {Promise<{wal: number, stored: number}>} */
async function bytesOf(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS wal, pg_database_size(current_database())::float8 AS stored`,
  );
  await client.end();
  return rows[0];
}

/** @param {string} url */
async function commandsOf(url) {
  const [info = ''] = await askRedis(url, [['INFO']]);
  return Number(/total_commands_processed:(\d+)/.exec(info)?.[1] ?? 0);
}
