import { readEnv } from './env.js';
import { startAdapters } from './start-adapters.js';

const env = readEnv();
// The settings are right, or nothing gets this far.
if (process.argv.some((argument) => argument.startsWith('--check'))) {
  process.stdout.write(`${JSON.stringify({ level: 30, app: 'adapters', event: 'settings.checked' })}\n`);
  process.exit(0);
}
const app = await startAdapters(env);
let draining = false;

/** Stops taking calls, lets those in flight finish, and exits after the drain time-out. */
async function drain(signal: string): Promise<void> {
  if (draining) return;
  draining = true;
  app.log.info({ event: 'adapters.draining', signal });
  setTimeout(() => {
    app.log.error({ event: 'adapters.drain_timed_out', timeout_ms: env.drainTimeoutMs });
    process.exit(1);
  }, env.drainTimeoutMs).unref();
  await app.close();
  app.log.info({ event: 'adapters.stopped' });
}

process.on('SIGTERM', (signal) => void drain(signal));
process.on('SIGINT', (signal) => void drain(signal));
