import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createAdapterServer } from '#libs/adapter-sdk';
import { createEgress } from '#libs/egress';
import type { AdaptersEnv } from './env.js';
import { createGenericAdapter } from './generic/generic.adapter.js';
import { mountProbes } from './probes.js';

/** Every shipped adapter in one server, not yet listening. Closing it closes the outgoing connections too. */
export function createAdaptersApp(env: AdaptersEnv, logger: FastifyBaseLogger): FastifyInstance {
  const egress = createEgress({ allow: env.egressAllow });
  const adapters = [createGenericAdapter({ fetch: egress.fetch, timeoutMs: env.genericTimeoutMs })];
  const app = createAdapterServer(adapters, {
    secret: env.callSecrets,
    version: env.version,
    logger,
    bodyLimitBytes: env.bodyLimitBytes,
  });
  mountProbes(app);
  app.addHook('onClose', () => egress.close());
  return app;
}
