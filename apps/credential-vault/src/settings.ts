import type { ChangeSettings } from '#libs/database';
import type { KeyBackend } from './sealing/kek-ring.js';
import type { PolicyRules } from './service-policy/service-policy.js';

/** What the vault's parts are given; `env.ts` reads it, tests write it. */
export interface VaultSettings extends ChangeSettings {
  DATABASE_POOL: number;
  GATEWAY_URL: string;
  /** Where browsers reach the installation: redirect URIs and links begin with it. */
  PUBLIC_URL: string;
  /** Addresses of token endpoints that may be reached though they are no public ones. */
  GATEHOUSE_EGRESS_ALLOW: string[];
  GATEHOUSE_KEK_RING: KeyBackend;
  DEK_CACHE_MS: number;
  DEK_CACHE_ENTRIES: number;
  SERVICE_POLICY: PolicyRules;
  VERIFY_TIMEOUT_MS: number;
  /** How long equal uses are counted before their number is written. */
  AUDIT_FLUSH_MS: number;
  /** How often what is to be told is looked for. */
  NOTIFY_SWEEP_MS: number;
  /** Days that a notification is kept that was given up. */
  NOTIFICATION_KEEP_DAYS: number;
  /** An access token is handed out only with at least so much of its life left, in seconds. */
  ACCESS_TOKEN_MIN_VALID_SECONDS: number;
  /** How long a caller waits for a refresh before it is told to come again. */
  REFRESH_WAIT_MS: number;
  /** Time-out of one token request. */
  TOKEN_TIMEOUT_MS: number;
  REFRESH_LEASE_MS: number;
  /** An attempt without a heartbeat for so long belongs to a dead process. */
  REFRESH_TAKEOVER_MS: number;
  /** Token requests in flight in one process, for one client at one token host. */
  TOKEN_HOST_CONCURRENCY: number;
  REFRESH_SWEEP_MS: number;
  /** Days that answers of token endpoints are kept, sealed. */
  REFRESH_JOURNAL_DAYS: number;
  /** Tries, of which the later ones are an hour apart, after which a revocation is given up. */
  REVOCATION_ATTEMPTS: number;
  /** Days that a revocation that was given up is shown. */
  REVOCATION_RECORD_DAYS: number;
  /** How long a person has for the provider's pages. */
  OAUTH_FLOW_SECONDS: number;
}

/** Injection token of `VaultSettings`. */
export const SETTINGS = Symbol('VaultSettings');
