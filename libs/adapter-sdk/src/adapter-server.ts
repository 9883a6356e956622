import { fastify, LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import type { AdapterDefinition } from './adapter-definition.js';
import { mountAdapter } from './adapter-routes.js';
import { readCallSecrets, requireCallSignature } from './call-signature.js';
import { answerError } from './error-answer.js';
import type { SecretInput } from './secret-strength.js';

/** Room for an envelope around a 25 MiB webhook body: 33.4 MiB of base64, its headers and the credentials. */
export const BODY_LIMIT_BYTES = 40 * 1024 * 1024;

export interface AdapterServerOptions {
  /** Platform call secrets (base64, `whsec_` allowed); two during a rotation. Without one, any caller is answered. */
  secret?: SecretInput;
  /** Build identifier of the running code, shown by `/health`; `unknown` when none can be injected. */
  version: string;
  logger?: FastifyBaseLogger;
  /** Largest request body. Default 40 MiB. */
  bodyLimitBytes?: number;
}

/**
 * A Fastify instance, not yet listening, that serves each adapter under `/<slug>`, and their slugs at `/`. With a secret,
 * every POST must carry the platform's Standard Webhooks signature; `/`, `/health` and `/manifest.json` stay open,
 * because probes cannot sign and all three are public. Throws when two adapters share a slug or a secret is malformed.
 */
export function createAdapterServer(
  adapters: readonly AdapterDefinition[],
  options: AdapterServerOptions,
): FastifyInstance {
  const secrets = readCallSecrets(options.secret);
  const app: FastifyInstance = fastify({
    ...(options.logger ? { loggerInstance: options.logger } : { logger: { level: 'warn' } }),
    bodyLimit: options.bodyLimitBytes ?? BODY_LIMIT_BYTES,
    requestIdHeader: 'x-request-id',
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
  });

  // The signature covers the exact bytes, so they are kept until it is checked.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.setErrorHandler(answerError);

  const methods = new Map<string, string>();
  const slugs = new Set<string>();
  const guards = secrets.length > 0 ? [requireCallSignature(secrets)] : [];
  for (const adapter of adapters) {
    const { slug } = adapter.manifest;
    if (slugs.has(slug)) throw new Error(`two adapters have the slug ${JSON.stringify(slug)}`);
    slugs.add(slug);
    mountAdapter(app, adapter, { version: options.version, guards, methods });
  }
  app.get('/', async (_request, reply) => reply.send({ adapters: [...slugs] }));
  methods.set('/', 'GET, HEAD');

  app.setNotFoundHandler((request, reply) => {
    const allow = methods.get(request.url.split('?', 1)[0] ?? '');
    if (allow) return reply.code(405).header('allow', allow).send({ error: 'method_not_allowed', allow });
    return reply.code(404).send({ error: 'not_found' });
  });
  app.addHook('onReady', async () => {
    if (secrets.length > 0) return;
    app.log.warn(
      { event: 'adapter.unsigned_calls' },
      'no platform call secret is set: anyone who reaches this port can call the adapters',
    );
  });
  return app;
}
