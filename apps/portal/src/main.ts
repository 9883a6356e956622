import { startService } from '#libs/service-kit';
import { AppModule, portalRoutes } from './app.module.js';
import { env } from './env.js';

await startService({
  name: 'portal',
  module: AppModule.with(env),
  settings: env,
  trustedProxies: env.TRUSTED_PROXIES,
  routes: portalRoutes(env),
});
