import { inMessage, inSpan, messageOf } from '#libs/telemetry';
import { Logger } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';

const logger = new Logger('http');

/**
 * A request from one service to another for a message continues its trace, and log lines name the message. Only on
 * `/internal`, which accepts only services: trace headers of API callers are ignored.
 */
export function followMessages(fastify: FastifyInstance): void {
  // Not earlier: the context would be lost while the body is read.
  fastify.addHook('preHandler', (request, reply, done) => {
    const route = request.routeOptions.url ?? '';
    const { traceparent, 'x-organization-id': organization } = request.headers;
    const message = route.startsWith('/internal/')
      ? messageOf(String(traceparent ?? ''), String(organization ?? ''))
      : null;
    if (message === null) return done();
    inMessage(message, String(traceparent), () => {
      const about = { 'http.request.method': request.method, 'http.route': route };
      void inSpan(`${request.method} ${route}`, 'server', about, async () => {
        const answered = new Promise<void>((resolve) => reply.raw.once('close', resolve));
        done();
        await answered;
        logger.debug({
          event: 'http.served',
          route,
          status: reply.statusCode,
          duration_ms: Math.round(reply.elapsedTime),
        });
      });
    });
  });
}
