import { once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import { Metrics } from '#libs/service-kit';
import { inMessage, inSpan, startMetrics, startTracing, traceparent } from '#libs/telemetry';
import { compareDeliveries, startPath } from './delivery.mjs';
import { startHelper } from './processes.mjs';
import { table } from './table.mjs';

const secret = 'a-signing-secret-for-the-benchmark';

const eventId = 'evt_01a204447304700092add81e1c6757cb';
const message = { eventId, organizationId: 'org_1' };
/** Each hop awaits something. */
const work = () => turn();

/**
 * CPU of all threads, µs per hop, the minimum of several rounds.
 * @param {() => Promise<unknown>} hop @param {number} hops
 * @param {number} rounds
 */
async function cpuOf(hop, hops, rounds) {
  let least = Infinity;
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    for (let done = 0; done < hops; done += 32) await Promise.all(Array.from({ length: 32 }, hop));
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / hops);
  }
  return least;
}

/** @param {string} error @returns {never} */
function fail(error) {
  throw new Error(error);
}

/**
 * A service with 120 routes and answers, each with a histogram of twelve buckets.
 * @param {string} endpoint @param {() => number} taken
 * @returns {Promise<number>} CPU of one export, ms
 */
async function cpuOfExport(endpoint, taken) {
  const { registry, httpSeconds } = new Metrics('bench');
  for (let n = 0; n < 120; n += 1) httpSeconds.observe({ route: `/api/v1/${n}`, method: 'GET', status: 200 }, n / 100);
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, METRICS_EXPORT_MS: 50 };
  const [before, first] = [process.cpuUsage(), taken()];
  const end = await startMetrics('bench', registry, settings, fail);
  while (taken() < first + 40) await delay(50);
  await end();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / (taken() - first);
}

/**
 * What a hop of a message costs with its context for log lines, and with spans that are sent to a collector; and what
 * an export of metrics costs. The collector accepts everything and does nothing. It runs in this process, so its CPU
 * counts too.
 * @param {{hops: number, rounds: number}} of
 */
export async function benchTracing({ hops, rounds }) {
  const traced = () => inMessage(message, traceparent(), () => inSpan('hop', 'consumer', { attempt: 1 }, work));
  const bare = await cpuOf(work, hops, rounds);
  const off = await cpuOf(traced, hops, rounds);
  let bytes = 0;
  let requests = 0;
  const collector = createServer((request, response) => {
    request
      .on('data', (chunk) => (bytes += chunk.length))
      .once('end', () => {
        requests += 1;
        response.end('{}');
      });
  });
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (collector.address());
  const endpoint = `http://127.0.0.1:${port}`;
  const end = await startTracing('bench', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, TRACES_PERCENT: 100 }, fail);
  const on = await cpuOf(traced, hops, rounds);
  await end();
  const spanBytes = bytes;
  const metrics = await cpuOfExport(endpoint, () => requests);
  collector.close();
  collector.closeAllConnections();
  const row = (/** @type {string} */ name, /** @type {number} */ us) => [name, us.toFixed(2), (us - bare).toFixed(2)];
  return (
    table(
      ['hop', 'CPU µs', 'more than bare'],
      [row('bare', bare), row('with its message, nothing sent', off), row('with a span that is sent', on)],
    ) +
    `\n${(spanBytes / 1e6).toFixed(1)} MB of spans were sent; what a queue of 8192 spans does not hold is dropped.` +
    `\nOne export of the metrics of a service with 120 routes: ${metrics.toFixed(1)} ms of CPU.`
  );
}

/**
 * A whole system that sends its spans to a collector, beside one that sends none.
 * @param {{rounds: number, seconds: number, burst: number}} options
 */
export async function benchTraced(options) {
  const collector = await startHelper('collector.mjs');
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.ready.port}` };
  try {
    const compared = await compareDeliveries(
      (sinkUrl) => [
        ['no spans', () => startPath({ name: 'untraced', secret, sinkUrl })],
        ['all spans', () => startPath({ name: 'traced', secret, sinkUrl, env: { ...traced, TRACES_PERCENT: '100' } })],
        [
          'one message in ten',
          () => startPath({ name: 'traced', secret, sinkUrl, env: { ...traced, TRACES_PERCENT: '10' } }),
        ],
      ],
      { ...options, secret },
    );
    const { requests, bytes } = await (await fetch(`${traced.OTEL_EXPORTER_OTLP_ENDPOINT}/report`)).json();
    return `${compared}\nThe collector took ${(bytes / 1e6).toFixed(0)} MB in ${requests} requests.`;
  } finally {
    await collector.stop();
  }
}
