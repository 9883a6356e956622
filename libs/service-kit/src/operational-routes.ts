import type { RedisState } from '#libs/queue';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Metrics } from './metrics.js';
import type { OperationsServer } from './operations-server.js';
import type { Readiness } from './readiness.js';

/**
 * On the service's own port, for probes, which learn nothing more: `/health/live` (the process answers) and
 * `/health/ready` (it can do its work). Readiness fails without Postgres and on a schema older than the code, but not
 * without Redis, because messages are still taken and stored: a fault of Redis would otherwise take every replica out of
 * service at once. On the operations port: `/health/ready` with the reason, `degraded` while Redis does no work, and
 * `/metrics`.
 */
export function operationalRoutes(
  app: NestFastifyApplication,
  operations: OperationsServer,
  metrics: Metrics,
  { readiness, redis }: { readiness: Readiness; redis: () => RedisState | null },
): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  fastify.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    metrics.httpSeconds.observe({ route, method: request.method, status: reply.statusCode }, reply.elapsedTime / 1000);
    done();
  });
  fastify.get('/health/live', () => ({ status: 'ok' }));
  fastify.get('/health/ready', async (_request, reply) =>
    (await readiness.problem()) === null ? { status: 'ok' } : reply.status(503).send({ status: 'not_ready' }),
  );
  operations.http.get('/health/live', () => ({ status: 'ok' }));
  operations.http.get('/health/ready', async (_request, reply) => {
    const reason = await readiness.problem();
    if (reason !== null) return reply.status(503).send({ status: 'not_ready', reason });
    const trouble = redis();
    if (!trouble) return { status: 'ok' };
    const { code, text, what_to_do, since } = trouble;
    return { status: 'degraded', reason: text, code, what_to_do, since };
  });
  operations.http.get('/metrics', async (_request, reply) =>
    reply.header('content-type', metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
}
