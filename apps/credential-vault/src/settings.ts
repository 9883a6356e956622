import type { ChangeSettings } from '#libs/database';
import type { KeyBackend } from './sealing/kek-ring.js';
import type { PolicyRules } from './service-policy/service-policy.js';

/** The vault's settings: `env.ts` reads them, tests set them. */
export interface VaultSettings extends ChangeSettings {
  DATABASE_POOL: number;
  GATEWAY_URL: string;
  /** The address of the installation for browsers: redirect URIs and links begin with it. */
  PUBLIC_URL: string;
  /** Addresses of token endpoints that may be reached although they are not public. */
  GATEHOUSE_EGRESS_ALLOW: string[];
  GATEHOUSE_KEK_RING: KeyBackend;
  DEK_CACHE_MS: number;
  DEK_CACHE_ENTRIES: number;
  SERVICE_POLICY: PolicyRules;
  /** Thumbprints of the keys of other vaults, for which this one seals what moves there. */
  MOVE_TARGET_KEYS: string[];
  VERIFY_TIMEOUT_MS: number;
  /** How long repeated equal uses are counted before their number is written. */
  AUDIT_FLUSH_MS: number;
  /** How long a replaced signing secret stays valid, unless the rotation says otherwise. */
  ROTATION_OVERLAP_SECONDS: number;
  /** How often replaced values whose overlap has ended are looked for. */
  ROTATION_SWEEP_MS: number;
  /** How often due notifications are looked for. */
  NOTIFY_SWEEP_MS: number;
  /** How many days a notification that was given up is kept. */
  NOTIFICATION_KEEP_DAYS: number;
  /** Minimum remaining life, in seconds, of an access token that is handed out. */
  ACCESS_TOKEN_MIN_VALID_SECONDS: number;
  /** How long a caller waits for a refresh before it is asked to try again. */
  REFRESH_WAIT_MS: number;
  /** Seconds between two refreshes of a grant, at least. */
  REFRESH_MIN_INTERVAL_SECONDS: number;
  REFRESH_AFTER_REFUSAL_SECONDS: number;
  /** Time-out of one token request. */
  TOKEN_TIMEOUT_MS: number;
  REFRESH_LEASE_MS: number;
  /** An attempt without a heartbeat for this long belongs to a dead process. */
  REFRESH_TAKEOVER_MS: number;
  /** Concurrent token requests of one process, for one client at one token host. */
  TOKEN_HOST_CONCURRENCY: number;
  REFRESH_SWEEP_MS: number;
  /** How many days answers of token endpoints are kept, sealed. */
  REFRESH_JOURNAL_DAYS: number;
  /** Tries after which a revocation is given up; the later ones are an hour apart. */
  REVOCATION_ATTEMPTS: number;
  /** How many days a revocation that was given up is shown. */
  REVOCATION_RECORD_DAYS: number;
  /** How long a person has to complete the provider's pages. */
  OAUTH_FLOW_SECONDS: number;
}

/** Injection token of `VaultSettings`. */
export const SETTINGS = Symbol('VaultSettings');
