import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { databaseOf } from './database-of.js';
import type { Metrics } from './metrics.js';

const readyTimeoutMs = 2_000;

/**
 * `/health/live` (the process answers), `/health/ready` (it can do its work; fails without Postgres, not without
 * Redis, since messages are taken and kept all the same) and `/metrics`.
 */
export function operationalRoutes(
  app: NestFastifyApplication,
  metrics: Metrics,
  notReady: () => Promise<string | null>,
): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.httpSeconds.observe({ route, method: request.method, status: reply.statusCode }, reply.elapsedTime / 1000);
    done();
  });
  fastify.get('/health/live', () => ({ status: 'ok' }));
  fastify.get('/health/ready', async (_request, reply) => {
    const reason = (await databaseProblem(app)) ?? (await notReady());
    return reply.status(reason ? 503 : 200).send(reason ? { status: 'not_ready', reason } : { status: 'ok' });
  });
  fastify.get('/metrics', async (_request, reply) =>
    reply.header('content-type', metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
}

async function databaseProblem(app: NestFastifyApplication): Promise<string | null> {
  const source = databaseOf(app);
  if (!source) return null;
  const timeout = new Promise<never>((_resolve, reject) =>
    setTimeout(() => reject(new Error('timeout')), readyTimeoutMs).unref(),
  );
  try {
    await Promise.race([source.query('SELECT 1'), timeout]);
    return null;
  } catch {
    return 'postgres does not answer';
  }
}
