import { createLocalJWKSet, createRemoteJWKSet, type JWTVerifyGetKey } from 'jose';
import type { PublicJwks } from './service-keys.js';

/** The public keys of each service: their URL, or the keys themselves. */
export type ServiceIssuers = Record<string, string | PublicJwks>;

/** An unknown key is looked up again at most this often; known keys are read again after `maxAgeMs`. */
const cooldownMs = 10_000;
const maxAgeMs = 600_000;
const timeoutMs = 3_000;

/** @returns how to find the key of each service's tokens */
export function issuerKeys(issuers: ServiceIssuers): Map<string, JWTVerifyGetKey> {
  return new Map(
    Object.entries(issuers).map(([service, source]) => [
      service,
      typeof source === 'string'
        ? createRemoteJWKSet(new URL(source), {
            cooldownDuration: cooldownMs,
            cacheMaxAge: maxAgeMs,
            timeoutDuration: timeoutMs,
          })
        : createLocalJWKSet(source),
    ]),
  );
}

/**
 * Reads `{service: "<URL of its JWKS>" | {"keys": [...]}}`.
 * @throws Error that names the service whose entry is wrong
 */
export function readIssuers(value: unknown): ServiceIssuers {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('GATEHOUSE_SERVICE_ISSUERS is not {service: URL or {"keys": [...]}}');
  }
  const issuers: ServiceIssuers = {};
  for (const [service, source] of Object.entries(value as Record<string, unknown>)) {
    if (!isUrl(source) && !isJwks(source)) {
      throw new Error(`GATEHOUSE_SERVICE_ISSUERS: ${service} is neither a URL nor {"keys": [public keys]}`);
    }
    issuers[service] = source;
  }
  return issuers;
}

const isUrl = (source: unknown): source is string => typeof source === 'string' && URL.canParse(source);

/** A private key must not appear in a setting that every service receives. */
function isJwks(source: unknown): source is PublicJwks {
  const keys = (source as { keys?: unknown } | null)?.keys;
  return Array.isArray(keys) && keys.every((key: { kty?: unknown; d?: unknown } | null) => key?.kty && !key.d);
}
