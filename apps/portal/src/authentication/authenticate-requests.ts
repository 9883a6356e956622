import { mayLagHeader } from '#libs/contracts';
import { Problem, ServiceTokens } from '#libs/service-kit';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sendProblem } from '../proxy/send-problem.js';
import { audienceOf, isOpen, isProtocol, isPublic } from '../proxy/route-table.js';
import { sessionTokenOf, withoutSession } from './session-cookie.js';
import { type SessionSettings, SETTINGS } from '../settings.js';
import { type Authenticated, notSignedIn } from './authenticated.js';
import { RecentWrites } from '../recent-writes/recent-writes.js';
import { KeyAuthenticator } from './key-authenticator.js';
import { OpenRequests } from './open-requests.js';
import { rememberMember } from './request-member.js';
import { SessionAuthenticator } from './session-authenticator.js';

/**
 * Replaces the caller's API key or session by a service token for the service that answers the route, the portal
 * included, so that every service checks scopes in the same way. It uses the matched route, not the text of the URL, so
 * that no spelling of a path can bypass it.
 */
export function authenticateRequests(app: NestFastifyApplication): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const keys = app.get(KeyAuthenticator, { strict: false });
  const sessions = app.get(SessionAuthenticator, { strict: false });
  const tokens = app.get(ServiceTokens, { strict: false });
  const open = app.get(OpenRequests, { strict: false });
  const writes = app.get(RecentWrites, { strict: false });
  const { PUBLIC_URL } = app.get<SessionSettings>(SETTINGS, { strict: false });

  /** A key takes precedence: a client sends it on purpose, while a browser adds cookies by itself. */
  async function authenticated(request: FastifyRequest, route: string): Promise<Authenticated> {
    const token = sessionTokenOf(request.headers.cookie, PUBLIC_URL);
    if (request.headers.authorization === undefined && token !== undefined) {
      const member = await sessions.authenticate(token, request.method, request.headers, isOwnSession(route));
      refuseInClosed(member, request.method, route);
      rememberMember(request.raw, member);
      return member;
    }
    if (request.headers.authorization === undefined && isOwnSession(route)) throw notSignedIn();
    return keys.authenticate(request.headers, request.ip);
  }

  /**
   * Whether a request to an open route has no authenticated caller: the browser is not signed in, or it submits a form,
   * which carries no CSRF token. These pages recognise their browser by a cookie of their own.
   */
  async function isAnonymous({ headers, method }: FastifyRequest, route: string): Promise<boolean> {
    if (headers.authorization !== undefined) return false;
    if (isProtocol(route)) return true;
    if (!isOpen(route)) return false;
    if (!['GET', 'HEAD'].includes(method)) return true;
    const token = sessionTokenOf(headers.cookie, PUBLIC_URL);
    return token === undefined || !(await sessions.isLive(token));
  }

  fastify.addHook('onRequest', async (request, reply) => {
    const route = request.routeOptions.url;
    delete request.raw.headers[mayLagHeader];
    if (!route || !(route.startsWith('/api/v1/') || isProtocol(route)) || isPublic(route)) return;
    try {
      const { headers } = request.raw;
      if (!(await isAnonymous(request, route))) {
        const { principal, holder } = await authenticated(request, route);
        open.enter(holder, reply.raw);
        if (!isProtocol(route)) await writes.enters(request, principal);
        headers.authorization = `Bearer ${await tokens.mint(audienceOf(route), principal)}`;
      }
      // The token carries the context from here on; the headers must not contradict it.
      delete headers['x-organization-id'];
      delete headers['x-project-id'];
      const cookies = isOpen(route) ? withoutSession(headers.cookie, PUBLIC_URL) : undefined;
      if (cookies === undefined) delete headers.cookie;
      else headers.cookie = cookies;
    } catch (error) {
      return sendProblem(reply, error);
    }
  });
  fastify.addHook('onSend', async (request, reply, payload) => {
    await writes.answers(request, reply.statusCode);
    return payload;
  });
}

function isOwnSession(route: string): boolean {
  return route === '/api/v1/session';
}

/** A closed project is read-only. The portal's own routes (members, projects, keys) check that themselves. */
function refuseInClosed({ project }: Authenticated, method: string, route: string): void {
  if (!project?.closed_at || ['GET', 'HEAD'].includes(method) || audienceOf(route) === 'portal') return;
  throw new Problem(409, 'project_closed', `The project ${project.name} is closed: reopen it to make changes.`);
}
