import { pino } from 'pino';
import { createAdaptersApp } from './adapters-app.js';
import { readEnv } from './env.js';
import { startTracing } from '#libs/tracing';
import { mountProbes } from './probes.js';
import { traceCalls } from './trace-calls.js';

const env = readEnv();
const log = pino({ level: env.logLevel, base: { app: 'adapters', build: env.version } });
const app = createAdaptersApp(env, log);
const endTracing = await startTracing('adapters', {
  OTEL_EXPORTER_OTLP_ENDPOINT: env.otlpEndpoint,
  TRACES_PERCENT: env.tracesPercent,
});
traceCalls(app);
const operations = mountProbes(app);

let draining = false;

/** Stops taking calls, lets those under way finish, and gives up after the drain time-out. */
async function drain(signal: string): Promise<void> {
  if (draining) return;
  draining = true;
  log.info({ event: 'adapters.draining', signal });
  setTimeout(() => {
    log.error({ event: 'adapters.drain_timed_out', timeout_ms: env.drainTimeoutMs });
    process.exit(1);
  }, env.drainTimeoutMs).unref();
  await app.close();
  await endTracing();
  log.info({ event: 'adapters.stopped' });
}

process.on('SIGTERM', (signal) => void drain(signal));
process.on('SIGINT', (signal) => void drain(signal));
await operations.listen({ port: env.operationsPort, host: env.host });
const address = await app.listen({ port: env.port, host: env.host });
log.info({ event: 'adapters.listening', address });
