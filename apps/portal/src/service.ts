import type { ServiceOptions } from '#libs/service-kit';
import { AppModule } from './app.module.js';
import { readSettings } from './env.js';
import { portalRoutes } from './portal-routes.js';

/** What `startService` starts, alone or with others in one process; the tests start the same. */
export function portalService(settings: ReturnType<typeof readSettings>): ServiceOptions {
  return {
    name: 'portal',
    module: AppModule.with(settings),
    settings,
    trustedProxies: settings.TRUSTED_PROXIES,
    routes: portalRoutes(settings),
  };
}

export const serviceFrom = (environment?: NodeJS.ProcessEnv): ServiceOptions =>
  portalService(readSettings(environment));
