import { fastify, type FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, type Registry } from 'prom-client';

/**
 * Adds liveness and readiness to the adapters' server.
 * @returns the server of Prometheus metrics, for a port of its own; it closes with the other
 */
export function mountProbes(app: FastifyInstance, registry: Registry): FastifyInstance {
  // Samples the event-loop delay ten times a second, not a hundred: most wake-ups of an idle process came from that.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
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
  const operations = fastify({ logger: false, forceCloseConnections: true, bodyLimit: 1_024 });
  for (const server of [app, operations]) {
    for (const probe of ['live', 'ready']) server.get(`/health/${probe}`, async () => ({ status: 'ok' }));
  }
  operations.get('/metrics', async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  );
  app.addHook('onClose', () => operations.close());
  return operations;
}
