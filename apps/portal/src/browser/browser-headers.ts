import { protectFromBrowsers } from '#libs/service-kit';
import type { FastifyInstance } from 'fastify';
import { isWebhook } from '../proxy/route-table.js';

/**
 * On everything that leaves the portal: its own pages and problems, and the answers of the services behind it. Those to
 * webhooks are their Apps' and keep what they say of caching.
 */
export function browserHeaders(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async (request, reply, payload) => {
    protectFromBrowsers(reply, isWebhook(request.routeOptions.url ?? ''));
    return payload;
  });
}
