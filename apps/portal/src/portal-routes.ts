import { declaredBytes, IncomingBodies, OperationsServer, protectFromBrowsers, ServiceTokens } from '#libs/service-kit';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Readable } from 'node:stream';
import { authenticateRequests } from './authentication/authenticate-requests.js';
import { FrontDoor } from './front-door/front-door.js';
import { consoleRoutes, isConsole } from './console/console-routes.js';
import { authenticatePeers } from './moves/authenticate-peers.js';
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
    authenticatePeers(app);
    const bodies = new IncomingBodies(settings);
    ownBodies(app.getHttpAdapter().getInstance(), bodies);
    proxyRoutes(app, settings, bodies);
    new FrontDoor(app.getHttpAdapter().getInstance(), app.get(ServiceTokens, { strict: false }), settings).listen();
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

/** Bodies of the portal's own routes obey the same limits as those that it forwards, and are parsed once they are here. */
function ownBodies(fastify: FastifyInstance, bodies: IncomingBodies): void {
  fastify.addHook('preParsing', async (request, reply, payload) => {
    const { method, raw, ip, routeOptions } = request;
    if (routeOptions.config.readsBody || method === 'GET' || method === 'HEAD' || declaredBytes(raw) === 0)
      return payload;
    const maxBytes = routeOptions.bodyLimit ?? fastify.initialConfig.bodyLimit ?? 0;
    return Readable.from([await bodies.read(raw, reply.raw, { maxBytes, address: ip, target: ip })]);
  });
}
