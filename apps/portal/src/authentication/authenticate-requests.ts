import { ServiceTokens } from '#libs/service-kit';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { sendProblem } from '../proxy/send-problem.js';
import { audienceOf, isOpen, isPublic } from '../proxy/route-table.js';
import { Authenticator } from './authenticator.js';
import { OpenRequests } from './open-requests.js';

/**
 * Replaces the caller's API key by a service token for the service that answers the route, this one included, so that
 * every service checks scopes in the same way. Goes by the route that matched, not by the text of the URL: no spelling of
 * a path gets around it.
 */
export function authenticateRequests(app: NestFastifyApplication): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const authenticator = app.get(Authenticator, { strict: false });
  const tokens = app.get(ServiceTokens, { strict: false });
  const open = app.get(OpenRequests, { strict: false });
  fastify.addHook('onRequest', async (request, reply) => {
    const route = request.routeOptions.url;
    if (!route?.startsWith('/api/v1/') || isPublic(route)) return;
    if (isOpen(route) && request.headers.authorization === undefined) return;
    try {
      const principal = await authenticator.authenticate(request.headers, request.ip);
      open.enter(principal.subject.replace(/^key:/, ''), reply.raw);
      const { headers } = request.raw;
      headers.authorization = `Bearer ${await tokens.mint(audienceOf(route), principal)}`;
      // The context is in the token now, and nowhere else.
      delete headers['x-organization-id'];
      delete headers['x-project-id'];
      if (!isOpen(route)) delete headers.cookie;
    } catch (error) {
      return sendProblem(reply, error);
    }
  });
}
