import type { ServiceOptions } from '#libs/service-kit';
import { AppModule } from './app.module.js';
import { readSettings } from './env.js';

/** The options with which this service runs, alone (`startService`) or in a process that hosts several. */
export function serviceFrom(environment?: NodeJS.ProcessEnv): ServiceOptions {
  const settings = readSettings(environment);
  return {
    name: 'engine',
    module: AppModule.with(settings),
    settings,
    consumes: ['turns'],
    bodyLimit: settings.REQUEST_MAX_BYTES,
  };
}
