import type { FastifyReply, FastifyRequest } from 'fastify';
import { isBase64, secretList, type SecretInput } from './secret-strength.js';
import { standardWebhooksKey, verifyStandardWebhooks } from './standard-webhooks.js';

/** The shortest key that the Standard Webhooks specification allows, in bytes. */
const MIN_KEY_BYTES = 24;

/**
 * The platform's call secrets, one or two. Throws when one is not base64 of at least 24 bytes (`whsec_` may precede
 * it): both sides of a call must derive the same key from the same text, in any language.
 */
export function readCallSecrets(secret: SecretInput | undefined): string[] {
  const secrets = secretList(secret ?? []);
  for (const entry of secrets) {
    if (!isBase64(entry.replace(/^whsec_/, '')) || standardWebhooksKey(entry).length < MIN_KEY_BYTES) {
      throw new Error(`an adapter call secret must be base64 of at least ${MIN_KEY_BYTES} bytes`);
    }
  }
  return secrets;
}

/** How the SDK begins its words for a call that the platform did not sign: a fault of the set-up, not of what was sent. */
export const platformCallRefused = 'platform call refused';

/** Refuses a call that the platform did not sign. At this point the body is still the raw bytes. */
export function requireCallSignature(secrets: readonly string[]) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    const body = Buffer.isBuffer(request.body) ? request.body : '';
    const result = verifyStandardWebhooks({ secret: secrets, headers: request.headers, body });
    if (result.ok) return undefined;
    request.log.warn({ event: 'adapter.call_refused', reason: result.error, path: request.routeOptions.url });
    return reply.code(401).send({ error: result.error, message: `${platformCallRefused}: ${result.message}` });
  };
}
