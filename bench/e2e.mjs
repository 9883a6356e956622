import { setTimeout as pause } from 'node:timers/promises';
import { services } from '../scripts/launcher/services.mjs';
import { costs } from './costs.mjs';
import { delivered } from './delivery.mjs';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { runLoad, startHelper } from './processes.mjs';
import { shown, table } from './table.mjs';
import { wearIn } from './wear-in.mjs';

const secret = 'a-signing-secret-for-the-benchmark';
const drainMs = 120_000;

/**
 * Webhook in, workflow, turn, delivery out to an HTTP sink. Latency is measured from the time in the receipt's id to
 * the sink.
 * @param {{seconds: number, burst: number, sizes: number[]}} options
 */
export async function benchE2e({ seconds, burst, sizes }) {
  const sink = await startHelper('sink.mjs');
  const sinkUrl = `http://127.0.0.1:${sink.ready.port}`;
  const gatehouse = await startGatehouse({ name: 'e2e' });
  const names = services.map((service) => service.name);
  const pids = {
    ...Object.fromEntries(names.map((name) => [name, gatehouse.pidOf(name)])),
    postgres: gatehouse.postgres.pid,
    redis: gatehouse.redis.pid,
  };
  const read = () => costs(pids, { databaseUrl: gatehouse.postgres.url, redisUrl: gatehouse.redis.url });
  const clear = () => fetch(`${sinkUrl}/clear`, { method: 'POST' });

  try {
    const app = await signedApp(gatehouse, { secret, replyAddress: `${sinkUrl}/replies` });
    const workflow = await gatehouse.api('POST', '/workflows', { name: 'Bench', instructions: 'reply: got it' });
    const send = (/** @type {object} */ load) =>
      runLoad({ url: app.url, secret, connections: 64, fields: { workflow_id: workflow.id }, bytes: 1024, ...load });
    await wearIn(gatehouse.postgres.url);
    // Warms up just-in-time compilation, and the routing rules that the router reads every second.
    await send({ seconds: 6, rate: 300 });
    await delivered(sinkUrl, 1_800);

    const steady = [];
    for (const bytes of sizes) {
      await clear();
      const load = await send({ seconds, rate: 100, bytes });
      const out = await delivered(sinkUrl, load.accepted);
      steady.push([
        `100/s, ${bytes / 1024} KB`,
        load.accepted,
        out.receipts,
        shown(load.p50),
        shown(out.p50, 0),
        shown(out.p99, 0),
      ]);
      process.stdout.write(`  ${JSON.stringify(steady.at(-1))}\n`);
    }
    await clear();
    const before = await read();
    const began = Date.now();
    const load = await send({ seconds: drainMs / 1000, count: burst });
    const out = await delivered(sinkUrl, load.accepted);
    const rate = out.receipts / ((out.lastAt - began) / 1000);
    // Postgres publishes its counters with a delay of up to a second.
    await pause(1_500);
    const after = await read();
    const per = (/** @type {number} */ value) => shown(value / load.accepted, 2);
    const names2 = Object.keys(pids);
    return [
      table(['steady load', 'accepted', 'delivered', 'ack p50 ms', 'delivered p50 ms', 'delivered p99 ms'], steady),
      '',
      `Burst of ${load.accepted}: accepted at ${shown(load.perSecond, 0)}/s, delivered ${out.receipts} (doubled ${out.doubled}) at ${shown(rate, 0)} messages/s`,
      '',
      table(
        ['per message in the burst', 'CPU ms', 'memory MB'],
        names2.map((name) => [
          name,
          per((after.cpuMs[name] ?? 0) - (before.cpuMs[name] ?? 0)),
          shown(after.rssMb[name] ?? 0, 0),
        ]),
      ),
      `all ${per(names2.reduce((sum, name) => sum + (after.cpuMs[name] ?? 0) - (before.cpuMs[name] ?? 0), 0))} ms CPU; ` +
        `Postgres ${per(after.commits - before.commits)} commits, ${per(after.rows - before.rows)} rows written; ` +
        `Redis ${per(after.redisCommands - before.redisCommands)} commands`,
    ].join('\n');
  } finally {
    await gatehouse.close();
    await sink.stop();
  }
}
