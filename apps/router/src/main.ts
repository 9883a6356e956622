import 'reflect-metadata';
import { startService } from '#libs/service-kit';
import { AppModule } from './app.module.js';
import { env } from './env.js';

await startService({
  name: 'router',
  module: AppModule.with(env),
  settings: env,
  consumes: ['route', 'outbound-sent'],
});
