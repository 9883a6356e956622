import { pino } from 'pino';
import type { FastifyInstance } from 'fastify';
import { createAdaptersApp } from './adapters-app.js';
import type { AdaptersEnv } from './env.js';
import { mountProbes } from './probes.js';

/** @returns the app, which listens; closing it ends the calls under way first */
export async function startAdapters(env: AdaptersEnv): Promise<FastifyInstance> {
  const log = pino({ level: env.logLevel, base: { service: 'adapters', build: env.version } });
  const app = createAdaptersApp(env, log);
  const operations = mountProbes(app);
  await operations.listen({ port: env.operationsPort, host: env.host });
  const address = await app.listen({ port: env.port, host: env.host });
  log.info({ event: 'adapters.listening', address });
  return app;
}
