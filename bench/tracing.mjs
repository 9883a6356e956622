import { once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { inMessage, inSpan, startTracing, traceparent } from '#libs/tracing';
import { table } from './table.mjs';

const eventId = 'evt_01a204447304700092add81e1c6757cb';
const message = { eventId, organizationId: 'org_1' };
/** A hop does something that is waited for. */
const work = () => turn();

/** CPU of all threads, µs a hop, the least of some rounds. @param {() => Promise<unknown>} hop @param {number} hops @param {number} rounds */
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

/**
 * What a hop of a message costs with its context for log lines, and with spans that are sent to a collector. It takes all and
 * does nothing, in this process: its CPU is counted, too.
 * @param {{hops: number, rounds: number}} of
 */
export async function benchTracing({ hops, rounds }) {
  const traced = () => inMessage(message, traceparent(), () => inSpan('hop', 'consumer', { attempt: 1 }, work));
  const bare = await cpuOf(work, hops, rounds);
  const off = await cpuOf(traced, hops, rounds);
  let bytes = 0;
  const collector = createServer((request, response) => {
    request.on('data', (chunk) => (bytes += chunk.length)).once('end', () => response.end('{}'));
  });
  await once(collector.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (collector.address());
  const end = await startTracing('bench', {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    TRACES_PERCENT: 100,
  });
  const on = await cpuOf(traced, hops, rounds);
  await end();
  collector.close();
  collector.closeAllConnections();
  const row = (/** @type {string} */ name, /** @type {number} */ us) => [name, us.toFixed(2), (us - bare).toFixed(2)];
  return (
    table(
      ['hop', 'CPU µs', 'more than bare'],
      [row('bare', bare), row('with its message, nothing sent', off), row('with a span that is sent', on)],
    ) + `\n${(bytes / 1e6).toFixed(1)} MB were sent; what a queue of 8192 spans does not hold is dropped.`
  );
}
