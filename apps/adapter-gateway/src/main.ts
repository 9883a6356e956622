import 'reflect-metadata';
import { startService } from '#libs/service-kit';
import { AppModule } from './app.module.js';
import { env } from './env.js';

await startService({
  name: 'adapter-gateway',
  module: AppModule.with(env),
  settings: env,
  consumes: ['inbound', 'outbound', 'sync'],
  // A handshake request carries the stored body, base64 at worst.
  bodyLimit: 40 * 1024 * 1024,
});
