import { startService } from '#libs/service-kit';
import { AppModule } from './app.module.js';
import { env } from './env.js';

await startService({
  name: 'engine',
  module: AppModule.with(env),
  settings: env,
  consumes: ['turns'],
  bodyLimit: env.REQUEST_MAX_BYTES,
});
