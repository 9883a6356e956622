import type { ServiceOptions } from '#libs/service-kit';
import { AppModule } from './app.module.js';
import { type EngineSettings, readSettings } from './env.js';
import { readA2ABodies } from './manage/a2a/a2a-bodies.js';

/** What `startService` starts, alone or with others in one process; the tests start the same. */
export function engineService(settings: EngineSettings): ServiceOptions {
  return {
    name: 'engine',
    module: AppModule.with(settings),
    settings,
    consumes: ['turns'],
    bodyLimit: settings.REQUEST_MAX_BYTES,
    routes: readA2ABodies,
  };
}

export const serviceFrom = (environment?: NodeJS.ProcessEnv): ServiceOptions =>
  engineService(readSettings(environment));
