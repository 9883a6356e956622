import { signedApp, startGatehouse } from './gatehouse.mjs';
import { runLoad, startHelper } from './processes.mjs';
import { shown, table } from './table.mjs';

const secret = 'a-signing-secret-for-the-benchmark';
/** Good requests per second. */
const rate = 20;
/** The slow clients' own address: the good requests come from another one. */
const slowAddress = '127.0.1.1';
/** So many connections one address may have here: fewer than the largest attack. */
const perAddress = 600;
const counts = [130, 500, 1_000];
const without = ['python-runner', 'engine', 'adapters', 'mcp-registry'];
/** The services that clients reach, and their longest answer that needs no key. */
const doors = { portal: '/api/v1/openapi.json', 'webhook-ingress': '/openapi.json' };
/** What the slow clients do slowly. */
const kinds = ['heads', 'bodies', 'readers'];

/**
 * Good requests beside slow clients of another address, at the portal and at the ingress. All of it stays on this
 * machine, and ends after its time.
 * @param {{seconds: number}} options of each of the twenty rounds
 */
export async function benchSlow({ seconds }) {
  const env = { HTTP_CONNECTIONS_PER_ADDRESS: String(perAddress) };
  const gatehouse = await startGatehouse({ name: 'slow', without, env });
  const rows = [];
  try {
    const app = await signedApp(gatehouse, { secret, replyAddress: null });
    const { pathname } = new URL(app.url);
    for (const [door, longPath] of Object.entries(doors)) {
      const origin = gatehouse.urlOf(door);
      const good = () =>
        runLoad({
          url: `${origin}${pathname}`,
          secret,
          rate,
          seconds,
          count: rate * seconds,
          connections: 32,
          patienceSeconds: 10,
          bytes: 1024,
        });
      await good();
      rows.push(rowOf(door, 'none', await good(), rate * seconds, null));
      for (const kind of kinds) {
        for (const count of counts) {
          const attack = { origin, pathname, longPath, kind, count, localAddress: slowAddress };
          const slow = await startHelper('slow-clients.mjs', attack);
          const load = await good();
          const outcome = await (await fetch(`http://127.0.0.1:${slow.ready.port}/`)).json();
          await slow.stop();
          rows.push(rowOf(door, `${count} ${kind}`, load, rate * seconds, outcome));
          process.stdout.write(`  ${JSON.stringify(rows.at(-1))}\n`);
        }
      }
    }
  } finally {
    await gatehouse.close();
  }
  return table(['at', 'slow clients', 'accepted', 'not', 'p50 ms', 'p99 ms', 'answers to the slow'], rows);
}

/**
 * @param {string} door
 * @param {string} slow
 * @param {import('./processes.mjs').LoadResult} load
 * @param {number} asked good requests
 * @param {Record<string, number> | null} outcome
 */
function rowOf(door, slow, load, asked, outcome) {
  const answers = Object.entries(outcome ?? {}).map(([what, count]) => `${count} ${what}`);
  return [door, slow, load.accepted, asked - load.accepted, shown(load.p50), shown(load.p99), answers.join(', ')];
}
