import { OperationsServer } from '#libs/service-kit';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { authenticateRequests } from './authentication/authenticate-requests.js';
import { browserHeaders } from './browser/browser-headers.js';
import { consoleRoutes } from './console/console-routes.js';
import { ServicesHealth } from './documentation/services-health.js';
import { proxyRoutes } from './proxy/proxy-routes.js';
import type { PortalSettings } from './settings.js';

/** What stands before Nest's own routes: authentication, then the proxies and the console. For operators the services' states. */
export function portalRoutes(settings: PortalSettings): (app: NestFastifyApplication) => void {
  return (app) => {
    const health = app.get(ServicesHealth, { strict: false });
    app.get(OperationsServer).http.get('/services', async () => ({ services: await health.read() }));
    browserHeaders(app.getHttpAdapter().getInstance());
    authenticateRequests(app);
    proxyRoutes(app, settings);
    consoleRoutes(app.getHttpAdapter().getInstance(), settings.CONSOLE_DIR, settings.PUBLIC_URL);
  };
}
