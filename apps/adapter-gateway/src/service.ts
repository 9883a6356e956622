import type { ServiceOptions } from '#libs/service-kit';
import { AppModule } from './app.module.js';
import { type GatewaySettings, readSettings } from './env.js';

/** What `startService` starts, alone or with others in one process. The tests start the same. */
export function gatewayService(settings: GatewaySettings): ServiceOptions {
  return {
    name: 'adapter-gateway',
    module: AppModule.with(settings),
    settings,
    consumes: ['inbound', 'outbound', 'sync'],
    // A handshake request carries the stored body, at worst in base64.
    bodyLimit: 40 * 1024 * 1024,
  };
}

export const serviceFrom = (environment?: NodeJS.ProcessEnv): ServiceOptions =>
  gatewayService(readSettings(environment));
