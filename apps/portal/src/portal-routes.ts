import { OperationsServer, protectFromBrowsers } from '#libs/service-kit';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { authenticateRequests } from './authentication/authenticate-requests.js';
import { consoleRoutes, isConsole } from './console/console-routes.js';
import { ServicesHealth } from './documentation/services-health.js';
import { proxyRoutes } from './proxy/proxy-routes.js';
import { isWebhook } from './proxy/route-table.js';
import type { PortalSettings } from './settings.js';

/**
 * What runs before Nest's own routes: authentication, the proxies and the console. It also gives operators the
 * services' states.
 */
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
 * Sets security headers on every answer of the portal: its pages, its problems, and the answers of the services behind
 * it. Answers to webhooks (which an App determines) and the console's files keep their own caching headers.
 */
function browserHeaders(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async (request, reply, payload) => {
    const route = request.routeOptions.url ?? '';
    protectFromBrowsers(reply, isWebhook(route) || isConsole(route));
    return payload;
  });
}
