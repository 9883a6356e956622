import { OperationsServer, protectFromBrowsers } from '#libs/service-kit';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { authenticateRequests } from './authentication/authenticate-requests.js';
import { consoleRoutes, isConsole } from './console/console-routes.js';
import { ServicesHealth } from './documentation/services-health.js';
import { proxyRoutes } from './proxy/proxy-routes.js';
import { isWebhook } from './proxy/route-table.js';
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

/**
 * On everything that leaves the portal: its own pages and problems, and the answers of the services behind it. Those to
 * webhooks are their Apps', and like the console's files they keep what they say of caching.
 */
function browserHeaders(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async (request, reply, payload) => {
    const route = request.routeOptions.url ?? '';
    protectFromBrowsers(reply, isWebhook(route) || isConsole(route));
    return payload;
  });
}
