import { pino } from 'pino';
import type { FastifyInstance } from 'fastify';
import { createAdaptersApp } from './adapters-app.js';
import type { AdaptersEnv } from './env.js';
import { inService, startTracing } from '#libs/tracing';
import { mountProbes } from './probes.js';
import { traceCalls } from './trace-calls.js';

/** @returns the app, which listens; closing it ends the calls under way first */
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
