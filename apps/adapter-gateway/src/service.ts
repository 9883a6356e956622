import type { ServiceOptions } from '#libs/service-kit';
import { AppModule } from './app.module.js';
import { readSettings } from './env.js';

/** What runs as this service: for `startService`, or for the process that hosts it beside others. */
export function serviceFrom(environment?: NodeJS.ProcessEnv): ServiceOptions {
  const settings = readSettings(environment);
  return {
    name: 'adapter-gateway',
    module: AppModule.with(settings),
    settings,
    consumes: ['inbound', 'outbound', 'sync'],
    // A handshake request carries the stored body, base64 at worst.
    bodyLimit: 40 * 1024 * 1024,
  };
}
