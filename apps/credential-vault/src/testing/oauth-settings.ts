import type { OauthVaultSettings } from '../oauth/oauth.providers.js';

/** Settings of a vault under test: its token endpoints are on this machine, and nothing waits for long. */
export function testOauthSettings(own: Partial<OauthVaultSettings> = {}): OauthVaultSettings {
  return {
    PUBLIC_URL: 'http://127.0.0.1:8080',
    GATEHOUSE_EGRESS_ALLOW: ['127.0.0.1'],
    ACCESS_TOKEN_MIN_VALID_SECONDS: 60,
    REFRESH_WAIT_MS: 4_000,
    TOKEN_TIMEOUT_MS: 10_000,
    REFRESH_LEASE_MS: 1_000,
    REFRESH_TAKEOVER_MS: 2_000,
    TOKEN_HOST_CONCURRENCY: 8,
    REFRESH_SWEEP_MS: 60_000,
    REFRESH_JOURNAL_DAYS: 7,
    REVOCATION_ATTEMPTS: 20,
    REVOCATION_RECORD_DAYS: 30,
    OAUTH_FLOW_SECONDS: 600,
    ...own,
  };
}
