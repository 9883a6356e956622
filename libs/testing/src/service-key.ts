import { generateKeyPairSync } from 'node:crypto';
import type { Jwk } from '#libs/service-kit';

/** The platform's signing key of one test process. */
export const testServiceKey: Jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as Jwk;

/** How services of one test process trust each other: through one shared key. */
export const testServiceTrust = {
  GATEHOUSE_SERVICE_KEY: [testServiceKey],
  GATEHOUSE_SERVICE_ISSUERS: null,
  KUBERNETES_ISSUER: null,
  KUBERNETES_JWKS_URL: null,
  KUBERNETES_NAMESPACE: null,
  KUBERNETES_JWKS_TOKEN_FILE: null,
  KUBERNETES_TOKEN_DIR: null,
};
