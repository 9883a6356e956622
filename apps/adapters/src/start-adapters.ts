import { pino } from 'pino';
import type { FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { inService, startMetrics, startTracing, inMessage, inSpan, messageOf } from '#libs/telemetry';
import { createAdaptersApp } from './adapters-app.js';
import type { AdaptersEnv } from './env.js';
import { mountProbes } from './probes.js';

/** @returns the listening app; closing it lets the calls in flight end first */
export const startAdapters = (env: AdaptersEnv): Promise<FastifyInstance> => inService('adapters', () => start(env));

async function start(env: AdaptersEnv): Promise<FastifyInstance> {
  const log = pino({ level: env.logLevel, base: { service: 'adapters', build: env.version } });
  const app = createAdaptersApp(env, log);
  const telemetry = {
    OTEL_EXPORTER_OTLP_ENDPOINT: env.otlpEndpoint,
    TRACES_PERCENT: env.tracesPercent,
    METRICS_EXPORT_MS: env.metricsExportMs,
  };
  const say = (error: string): void => log.warn({ event: 'telemetry.not_sent', error });
  const registry = new Registry();
  app.addHook('onClose', await startTracing('adapters', telemetry, say));
  app.addHook('onClose', await startMetrics('adapters', registry, telemetry, say));
  traceCalls(app);
  const operations = mountProbes(app, registry);
  await operations.listen({ port: env.operationsPort, host: env.host });
  const address = await app.listen({ port: env.port, host: env.host });
  log.info({ event: 'adapters.listening', address });
  return app;
}

/**
 * Makes a call for a message a span of its trace. Called before the adapters are mounted. Calls of an adapter to its
 * provider carry no trace.
 */
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
