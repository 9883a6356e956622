import { inMessage, inSpan, messageOf } from '#libs/tracing';
import type { FastifyInstance } from 'fastify';

/** A call for a message is a span of its trace. Before the adapters are mounted. What an adapter asks of its provider carries no trace. */
export function traceCalls(app: FastifyInstance): void {
  app.addHook('preHandler', (request, reply, done) => {
    const { traceparent, 'x-organization-id': organization } = request.headers;
    const message = messageOf(String(traceparent ?? ''), String(organization ?? ''));
    if (message === null) return done();
    inMessage(message, String(traceparent), () => {
      const route = request.routeOptions.url ?? '';
      void inSpan(`POST ${route}`, 'server', { 'http.route': route }, async () => {
        const answered = new Promise<void>((resolve) => reply.raw.once('close', resolve));
        done();
        await answered;
      });
    });
  });
}
