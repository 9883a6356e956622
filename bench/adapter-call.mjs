import { Pool } from 'undici';
import { AdapterClient } from '../dist/apps/adapter-gateway/src/path/adapters/adapter-client.js';
import { createEgress } from '../dist/libs/egress/src/index.js';
import { Metrics } from '../dist/libs/service-kit/src/index.js';
import { closedLoop } from './adapter-call/closed-loop.mjs';
import { startHelper } from './processes.mjs';
import { median, shown, table } from './table.mjs';

const hangingAdapters = 500;
const connections = 1_024;
const context = { organizationId: 'org_bench', projectId: 'prj_bench' };
const body = { text: 'hello', mode: 'rich' };

/**
 * What the gateway's call of an adapter (signed, bounded, validated, behind its circuit breaker and slots) adds to a
 * bare call, and how hanging adapters affect one that does not hang.
 * @param {{rounds: number, seconds: number}} options
 */
export async function benchAdapterCall({ rounds, seconds }) {
  const mounts = await startHelper('adapter-call/mounts.mjs');
  const origin = `http://127.0.0.1:${mounts.ready.port}`;
  const pool = new Pool(origin, { connections });
  const client = new AdapterClient(
    createEgress({ allow: ['127.0.0.0/8'], connectionsPerOrigin: connections }),
    { note: () => undefined },
    { require: async () => undefined },
    {
      GATEHOUSE_ADAPTER_SECRET: `whsec_${Buffer.from('the secret of the benchmark, long').toString('base64')}`,
      ADAPTER_CONCURRENCY: 50,
      ADAPTER_TIMEOUT_MS: 120_000,
      ADAPTER_MAX_RESPONSE_BYTES: 4_194_304,
    },
    new Metrics('bench'),
  );
  const bare = async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await pool.request({ path: '/fast/format', method: 'POST', headers, body: JSON.stringify(body) });
    return answer.body.json();
  };
  const gateway = () => client.post(`${origin}/fast`, '/format', body, context);
  /**
   * Alternates the calls, so that other load on the machine affects all.
   * @param {Array<() => Promise<unknown>>} calls
   * @param {number} callers
   */
  const measured = async (calls, callers) => {
    /** @type {Array<Array<Awaited<ReturnType<typeof closedLoop>>>>} */
    const runs = calls.map(() => []);
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, call] of calls.entries()) runs[index]?.push(await closedLoop(call, { callers, seconds }));
    }
    return runs.map((each) => ({
      perSecond: median(each.map((run) => run.perSecond)),
      p50: median(each.map((run) => run.p50)),
      p99: median(each.map((run) => run.p99)),
    }));
  };
  try {
    for (const call of [bare, gateway]) await closedLoop(call, { callers: 32, seconds: 1 });
    const rows = [];
    for (const callers of [1, 32]) {
      const [alone, through] = await measured([bare, gateway], callers);
      if (!alone || !through) continue;
      rows.push(row('bare undici', callers, alone));
      rows.push([
        ...row('gateway', callers, through),
        shown(through.p50 - alone.p50, 2),
        shown(through.p99 - alone.p99, 2),
      ]);
    }
    // These calls hang until the benchmark ends.
    for (let n = 0; n < hangingAdapters; n += 1) {
      void client.post(`${origin}/hanging${n}`, '/format', body, context).catch(() => undefined);
    }
    const [beside] = await measured([gateway], 32);
    if (beside) rows.push(row(`gateway, beside ${hangingAdapters} that hang`, 32, beside));
    const head = ['call', 'callers', 'calls/s', 'p50 ms', 'p99 ms', 'added p50 ms', 'added p99 ms'];
    return table(
      head,
      rows.map((cells) => [...cells, '', ''].slice(0, head.length)),
    );
  } finally {
    await mounts.stop();
    await pool.destroy();
    await client.onApplicationShutdown();
  }
}

/** @param {string} name @param {number} callers @param {{perSecond: number, p50: number, p99: number}} figures */
function row(name, callers, { perSecond, p50, p99 }) {
  return [name, String(callers), shown(perSecond, 0), shown(p50, 2), shown(p99, 2)];
}
