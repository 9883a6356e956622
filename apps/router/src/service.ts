import type { ServiceOptions } from '#libs/service-kit';
import { AppModule } from './app.module.js';
import { readSettings } from './env.js';

/** The options of this service: for `startService`, or for a process that hosts several. */
export function serviceFrom(environment?: NodeJS.ProcessEnv): ServiceOptions {
  const settings = readSettings(environment);
  return {
    name: 'router',
    module: AppModule.with(settings),
    settings,
    consumes: ['route', 'outbound-sent'],
    measuresStores: true,
  };
}
