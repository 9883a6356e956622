import { protectFromBrowsers } from '#libs/service-kit';
import type { FastifyInstance } from 'fastify';
import { isConsole } from '../console/console-routes.js';
import { isWebhook } from '../proxy/route-table.js';

/**
 * On everything that leaves the portal: its own pages and problems, and the answers of the services behind it. Those to
 * webhooks are their Apps', and like the console's files they keep what they say of caching.
 */
export function browserHeaders(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async (request, reply, payload) => {
    const route = request.routeOptions.url ?? '';
    protectFromBrowsers(reply, isWebhook(route) || isConsole(route));
    return payload;
  });
}
