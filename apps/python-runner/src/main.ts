import { startService } from '#libs/service-kit';
import { AppModule, bodyLimitOf, notReady } from './app.module.js';
import { readSettings } from './env.js';

const settings = readSettings();

await startService({
  name: 'python-runner',
  module: AppModule.with(settings),
  // No store and no key that signs: what runs next door must find nothing worth taking.
  settings: { ...settings, REDIS_URL: null, QUEUE_CONCURRENCY: 1, GATEHOUSE_SERVICE_KEY: [] },
  bodyLimit: bodyLimitOf(settings),
  notReady,
});
