import { generateKeyPairSync } from 'node:crypto';
import type { Jwk } from '#libs/service-kit';

/** The platform's signing key of one test process. */
export const testServiceKey: Jwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as Jwk;
