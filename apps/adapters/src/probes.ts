import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** Liveness, readiness and Prometheus metrics of the process, beside the adapters. */
export function mountProbes(app: FastifyInstance): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const calls = new Histogram({
    name: 'gatehouse_adapter_call_seconds',
    help: 'Time to answer a call, by route and status.',
    labelNames: ['route', 'status'],
    registers: [registry],
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unmatched';
    calls.observe({ route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  for (const probe of ['live', 'ready']) {
    app.get(`/health/${probe}`, async () => ({ status: 'ok' }));
  }
  app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()));
}
