import type { ServiceOptions } from '#libs/service-kit';
import { AppModule } from './app.module.js';
import { readSettings } from './env.js';

/** The options of this service, for `startService` or for a process that hosts it with others. */
export function serviceFrom(environment?: NodeJS.ProcessEnv): ServiceOptions {
  const settings = readSettings(environment);
  return {
    name: 'adapter-gateway',
    module: AppModule.with(settings),
    settings,
    consumes: ['inbound', 'outbound', 'sync'],
    // A handshake request carries the stored body, at worst in base64.
    bodyLimit: 40 * 1024 * 1024,
  };
}
