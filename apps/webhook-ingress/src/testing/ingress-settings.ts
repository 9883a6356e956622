import { telemetryDefaults } from '#libs/telemetry';
import { bodyLimitDefaults, httpLimitDefaults, tokenLimitDefaults } from '#libs/service-kit';
import { testRedisUrl, testServiceTrust } from '#libs/testing';
import type { IngressSettings } from '../env.js';

/** @param neighboursUrl where the gateway, vault and router answer */
export function ingressSettings(
  databaseUrl: string,
  neighboursUrl: string,
  change: Partial<IngressSettings> = {},
): IngressSettings {
  return {
    ...httpLimitDefaults,
    ...bodyLimitDefaults,
    HTTP_CONNECTIONS_PER_ADDRESS: 10_000,
    ...tokenLimitDefaults,
    ...telemetryDefaults,
    PORT: 8080,
    OPERATIONS_PORT: 0,
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    DATABASE_POOL: 4,
    DATABASE_DIRECT_URL: null,
    CREDENTIAL_CACHE_MS: 10_000,
    ENDPOINT_PULL_MS: 5_000,
    REDIS_URL: testRedisUrl(),
    QUEUE_CONCURRENCY: 1,
    HAND_OVER_CONCURRENCY: 1,
    SURPLUS_CONCURRENCY: 1,
    SURPLUS_DUTY_PERCENT: 100,
    ...testServiceTrust,
    PUBLIC_URL: 'https://gatehouse.example',
    LOG_LEVEL: 'silent',
    GATEWAY_URL: neighboursUrl,
    VAULT_URL: neighboursUrl,
    ROUTER_URL: neighboursUrl,
    TRUSTED_PROXIES: [],
    ENDPOINT_RATE_PER_SECOND: 1_000,
    ADDRESS_RATE_PER_SECOND: 1_000,
    UNKNOWN_TOKEN_RATE_PER_MINUTE: 100,
    HANDSHAKE_TIMEOUT_MS: 5_000,
    HANDSHAKE_MAX_BODY_BYTES: 4_096,
    BODY_MAX_CODINGS: 2,
    RECEIPT_BATCH: 10,
    HOLD_MS: 0,
    HOLD_SLACK_MS: 2_000,
    HOLD_MAX: 100,
    HOLD_MAX_BYTES: 1_048_576,
    INLINE_LIMIT_BYTES: 16_384,
    MESSAGE_MAX_DEPTH: 100,
    MAX_WAITING_JOBS: 1_000,
    PROJECT_ADVANCE: 100,
    PROJECT_MESSAGES_PER_SECOND: 0,
    PROJECT_MAX_WAITING: 1_000,
    RECEIPT_LEASE_MS: 60_000,
    RETENTION_DAYS: 30,
    ...change,
  };
}
