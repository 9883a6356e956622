import { pino } from 'pino';
import type { FastifyInstance } from 'fastify';
import { inService, startTracing, inMessage, inSpan, messageOf } from '#libs/tracing';
import { createAdaptersApp } from './adapters-app.js';
import type { AdaptersEnv } from './env.js';
import { mountProbes } from './probes.js';

/** @returns the app, which listens; closing it ends the calls in flight first */
export const startAdapters = (env: AdaptersEnv): Promise<FastifyInstance> => inService('adapters', () => start(env));

async function start(env: AdaptersEnv): Promise<FastifyInstance> {
  const log = pino({ level: env.logLevel, base: { service: 'adapters', build: env.version } });
  const app = createAdaptersApp(env, log);
  const { otlpEndpoint: OTEL_EXPORTER_OTLP_ENDPOINT, tracesPercent: TRACES_PERCENT } = env;
  app.addHook('onClose', await startTracing('adapters', { OTEL_EXPORTER_OTLP_ENDPOINT, TRACES_PERCENT }));
  traceCalls(app);
  const operations = mountProbes(app);
  await operations.listen({ port: env.operationsPort, host: env.host });
  const address = await app.listen({ port: env.port, host: env.host });
  log.info({ event: 'adapters.listening', address });
  return app;
}

/** A call for a message is a span of its trace. Before the adapters are mounted. What an adapter asks of its provider carries no trace. */
function traceCalls(app: FastifyInstance): void {
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
