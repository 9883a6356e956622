import type { ServiceOptions } from '#libs/service-kit';
import { AppModule } from './app.module.js';
import { readSettings } from './env.js';

/** 50 fields of 64 KiB, with room for JSON escapes. */
const bodyLimit = 4 * 1024 * 1024;

/** The options with which this service runs, alone (`startService`) or in a process that hosts several. */
export function serviceFrom(environment?: NodeJS.ProcessEnv): ServiceOptions {
  const settings = readSettings(environment);
  return {
    name: 'credential-vault',
    module: AppModule.with(settings),
    settings,
    // Refreshes and revocations.
    consumes: ['refresh'],
    bodyLimit,
  };
}
