import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createAdapterServer } from '#libs/adapter-sdk';
import { createEgress } from '#libs/egress';
import type { AdaptersEnv } from './env.js';
import { shippedAdapters } from './shipped-adapters.js';

/**
 * Every shipped adapter in one server, not yet listening, without probes. Closing it closes outgoing connections too.
 */
export function createAdaptersApp(env: AdaptersEnv, logger: FastifyBaseLogger): FastifyInstance {
  const egress = createEgress({ allow: env.egressAllow });
  const app = createAdapterServer(shippedAdapters(env, egress), {
    secret: env.callSecrets,
    version: env.version,
    logger,
    bodyLimitBytes: env.bodyLimitBytes,
  });
  app.addHook('onClose', () => egress.close());
  return app;
}
