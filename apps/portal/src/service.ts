import type { ServiceOptions } from '#libs/service-kit';
import { AppModule } from './app.module.js';
import { readSettings } from './env.js';
import { portalRoutes } from './portal-routes.js';

/** Describes this service for `startService`, or for the process that hosts several. */
export function serviceFrom(environment?: NodeJS.ProcessEnv): ServiceOptions {
  const settings = readSettings(environment);
  return {
    name: 'portal',
    module: AppModule.with(settings),
    settings,
    trustedProxies: settings.TRUSTED_PROXIES,
    routes: portalRoutes(settings),
  };
}
