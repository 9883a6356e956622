import 'reflect-metadata';
import { asksToCheck, createLog } from '#libs/service-kit';
import { flushCompileCache } from 'node:module';
import { environmentOf, readSettings } from './env.js';
import { checkHosted, host } from './host.js';

const { GATEHOUSE_SERVICES: names, LOG_LEVEL } = readSettings();
const log = createLog('host', LOG_LEVEL);

const begun = asksToCheck()
  ? checkHosted(names, environmentOf).then(() => process.exit(0))
  : host(names, environmentOf);
const close = await begun.catch((error: unknown) => {
  log.fatal({ event: 'host.failed' }, error instanceof Error ? error.message : String(error));
  return process.exit(1);
});
log.info({ event: 'host.started', services: names });
flushCompileCache();

let stopping = false;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    log.info({ event: 'host.draining', signal });
    close().then(
      () => {
        log.info({ event: 'host.stopped' });
        process.exit(0);
      },
      (error: unknown) => {
        log.error({ event: 'host.drain_failed' }, String(error));
        process.exit(1);
      },
    );
  });
}
