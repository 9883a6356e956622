import type { ServiceOptions } from '#libs/service-kit';
import { AppModule } from './app.module.js';
import { readSettings, type RegistrySettings } from './env.js';

/** What `startService` starts. The tests start the same. */
export function registryService(settings: RegistrySettings): ServiceOptions {
  return {
    name: 'mcp-registry',
    module: AppModule.with(settings),
    settings,
    consumes: ['mcp-discovery'],
    // A Skill's folder holds up to a hundred files of source text.
    bodyLimit: 8 * 1024 * 1024,
  };
}

export const serviceFrom = (environment?: NodeJS.ProcessEnv): ServiceOptions =>
  registryService(readSettings(environment));
