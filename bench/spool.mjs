import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { runLoad, startHelper } from './processes.mjs';
import { median, shown, table } from './table.mjs';
import { wearIn } from './wear-in.mjs';

const secret = 'a-signing-secret-for-the-benchmark';

/**
 * Acknowledgements from the local disk, signed and synced, while Postgres is stopped.
 * @param {{rounds: number, seconds: number}} options
 */
export async function benchSpool({ rounds, seconds }) {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-bench-spool-'));
  const sink = await startHelper('sink.mjs');
  const env = { SPOOL_DIR: directory, SPOOL_MAX_BYTES: String(8 * 1024 ** 3), HOLD_MS: '0' };
  const gatehouse = await startGatehouse({ name: 'spool', env });
  const replyAddress = `http://127.0.0.1:${sink.ready.port}/replies`;
  const { url } = await signedApp(gatehouse, { secret, replyAddress });
  const drive = (/** @type {number} */ length) =>
    runLoad({ url, secret, connections: 64, seconds: length, bytes: 1024 });
  try {
    await wearIn(gatehouse.postgres.url);
    await drive(2);
    await gatehouse.stop(['adapter-gateway', 'router', 'engine', 'adapters', 'portal']);
    await gatehouse.postgres.stop();
    await drive(2);
    const results = [];
    for (let round = 0; round < rounds; round += 1) results.push(await drive(seconds));
    const of = (/** @type {'perSecond' | 'p50' | 'p99'} */ name, digits = 1) =>
      shown(median(results.map((result) => result[name])), digits);
    const refused = results.map(({ statuses }) => JSON.stringify(statuses)).join(' ');
    const row = ['spooled, with fsync', of('perSecond', 0), of('p50'), of('p99'), refused];
    return table(['before the 2xx', 'req/s', 'p50 ms', 'p99 ms', 'answers'], [row]);
  } finally {
    await gatehouse.close().catch(() => undefined);
    await sink.stop();
    await rm(directory, { recursive: true, force: true });
  }
}
