import { startService } from '#libs/service-kit';
import { AppModule, bodyLimitOf, notReady } from './app.module.js';
import { readSettings } from './env.js';

const settings = readSettings();

await startService({
  name: 'python-runner',
  module: AppModule.with(settings),
  // It has no store and no signing key, so that an escaped tool finds nothing of value here.
  settings: { ...settings, REDIS_URL: null, QUEUE_CONCURRENCY: 1, GATEHOUSE_SERVICE_KEY: [] },
  bodyLimit: bodyLimitOf(settings),
  notReady,
});
