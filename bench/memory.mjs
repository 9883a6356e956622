import { setTimeout as pause } from 'node:timers/promises';
import { services } from '../scripts/launcher/services.mjs';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { usesOf } from './process-tree.mjs';
import { runLoad, startHelper } from './processes.mjs';
import { shown, table } from './table.mjs';

const secret = 'a-signing-secret-for-the-benchmark';
const everyMs = 1_000;
const settleMs = 20_000;
const restMs = 30_000;

/**
 * The memory of all processes, stores included, in a minute in which the ingress is saturated: 64 connections, 1 KB,
 * signed, each a message with a reply. The largest sum of one moment counts, with what each process had then.
 * @param {{seconds: number}} options
 */
export async function benchMemory({ seconds }) {
  const sink = await startHelper('sink.mjs');
  const gatehouse = await startGatehouse({ name: 'memory', env: { PYTHON_IDLE_MS: '5000' } });
  try {
    const replyAddress = `http://127.0.0.1:${sink.ready.port}/replies`;
    const { url } = await signedApp(gatehouse, { secret, replyAddress });
    const names = new Map(services.map(({ name }) => [gatehouse.pidOf(name), name]));
    names.set(gatehouse.postgres.pid, 'postgres').set(gatehouse.redis.pid, 'redis');
    const total = (/** @type {ReturnType<typeof usesOf>} */ uses) =>
      Object.values(uses).reduce((sum, { pssMb }) => sum + pssMb, 0);
    await pause(settleMs);
    const idle = usesOf(names);
    let most = idle;
    let over = false;
    const load = runLoad({ url, secret, connections: 64, seconds, bytes: 1024 }).finally(() => (over = true));
    while (!over) {
      await pause(everyMs);
      const now = usesOf(names);
      if (total(now) > total(most)) most = now;
    }
    const { accepted, statuses } = await load;
    await pause(restMs);
    const after = usesOf(names);
    const rows = Object.keys(most)
      .toSorted()
      .map((name) => [name, ...[idle, most, after].map((uses) => shown(uses[name]?.pssMb ?? 0, 0))]);
    const shared = [idle, most, after].map((uses) => shown(uses['postgres']?.sharedMb ?? 0, 0));
    return [
      table(
        ['PSS, MB', 'idle', 'most, saturated', `${restMs / 1_000} s later`],
        [
          ...rows,
          ['of postgres, shared buffers', ...shared],
          ['all', ...[idle, most, after].map((uses) => shown(total(uses), 0))],
        ],
      ),
      '',
      `${accepted} accepted in ${seconds} s, ${JSON.stringify(statuses)}`,
    ].join('\n');
  } finally {
    await gatehouse.close();
    await sink.stop();
  }
}
