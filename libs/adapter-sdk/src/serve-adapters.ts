import type { FastifyInstance } from 'fastify';
import type { AdapterDefinition } from './adapter-definition.js';
import { createAdapterServer } from './adapter-server.js';

/** Longest wait for calls in flight after the process is asked to stop. */
const DRAIN_TIMEOUT_MS = 25_000;

/** The running build: `GATEHOUSE_BUILD`, which the image sets from source control, else `unknown` (contract 2.3). */
export function buildVersion(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return env.GATEHOUSE_BUILD || 'unknown';
}

/**
 * Runs a process of adapters: listens at `HOST` (127.0.0.1) and `PORT` (8080), verifies calls by
 * `GATEHOUSE_ADAPTER_SECRET` (two during a rotation, comma-separated), and on SIGTERM finishes the calls in flight.
 * Throws for an invalid setting.
 */
export async function serveAdapters(
  adapters: readonly AdapterDefinition[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<FastifyInstance> {
  const port = Number(env.PORT || 8080);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error('PORT must be a whole number up to 65535');
  const secret = (env.GATEHOUSE_ADAPTER_SECRET ?? '').split(',').map((entry) => entry.trim());
  const app = createAdapterServer(adapters, { secret, version: buildVersion(env) });
  const drain = (): void => {
    setTimeout(() => process.exit(1), DRAIN_TIMEOUT_MS).unref();
    void app.close();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, drain);
    app.addHook('onClose', async () => void process.off(signal, drain));
  }
  await app.listen({ port, host: env.HOST || '127.0.0.1' });
  return app;
}
