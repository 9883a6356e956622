import { startService } from '#libs/service-kit';
import { AppModule, bodyLimitOf, notReady } from './app.module.js';
import { env } from './env.js';

await startService({
  name: 'python-runner',
  module: AppModule.with(env),
  // No store and no key that signs: what runs next door must find nothing worth taking.
  settings: { ...env, REDIS_URL: null, QUEUE_CONCURRENCY: 1, GATEHOUSE_SERVICE_KEY: [] },
  bodyLimit: bodyLimitOf(env),
  notReady,
});
