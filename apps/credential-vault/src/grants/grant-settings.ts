/** DI token of the settings below. */
export const GRANT_SETTINGS = Symbol('GrantSettings');

export interface GrantSettings {
  /** An access token is handed out only with at least so much of its life left, in seconds. */
  ACCESS_TOKEN_MIN_VALID_SECONDS: number;
  /** How long a caller waits for a refresh before it is told to come again. */
  REFRESH_WAIT_MS: number;
  /** Time-out of one token request. */
  TOKEN_TIMEOUT_MS: number;
  REFRESH_LEASE_MS: number;
  /** An attempt without a heartbeat for so long belongs to a dead process. */
  REFRESH_TAKEOVER_MS: number;
  /** Token requests under way in one process, for one client at one token host. */
  TOKEN_HOST_CONCURRENCY: number;
  REFRESH_SWEEP_MS: number;
  /** Days that answers of token endpoints are kept, sealed. */
  REFRESH_JOURNAL_DAYS: number;
  /** Tries, of which the later ones are an hour apart, after which a revocation is given up. */
  REVOCATION_ATTEMPTS: number;
  /** Days that a revocation that was given up is shown. */
  REVOCATION_RECORD_DAYS: number;
}
