import { changeSettings, integer, json, list, readEnv, type Reader, serviceSettings, url } from '#libs/service-kit';
import { type KekRing, readKekRing } from './sealing/kek-ring.js';
import { defaultPolicy, type PolicyRules, readPolicy } from './service-policy/service-policy.js';

const kekRing = (production: boolean): Reader<KekRing> => json((given) => readKekRing(given, { production }));

const servicePolicy: Reader<PolicyRules> = (name, value) => (value ? json(readPolicy)(name, value) : defaultPolicy);

const settings = {
  ...serviceSettings,
  ...changeSettings,
  /** How long an unwrapped data key is kept in memory. */
  DEK_CACHE_MS: integer(60_000, 0, 600_000),
  DEK_CACHE_ENTRIES: integer(10_000, 1, 1_000_000),
  GATEWAY_URL: url(),
  /** host:port or CIDR of token endpoints that may be reached although their address is not public. */
  GATEHOUSE_EGRESS_ALLOW: list,
  /** Minimum remaining life of an access token that is handed out: a gateway's call and its retry, with a margin. */
  ACCESS_TOKEN_MIN_VALID_SECONDS: integer(60, 1, 3_600),
  /** Below the five seconds after which services stop waiting for each other. */
  REFRESH_WAIT_MS: integer(4_000, 0, 60_000),
  /** No grant is refreshed more often, whatever life its provider gives to tokens. */
  REFRESH_MIN_INTERVAL_SECONDS: integer(5, 1, 3_600),
  /** A token that replaced a refused one and is refused too is not replaced before this: new tokens do not help. */
  REFRESH_AFTER_REFUSAL_SECONDS: integer(300, 1, 86_400),
  TOKEN_TIMEOUT_MS: integer(60_000, 1_000, 600_000),
  REFRESH_LEASE_MS: integer(15_000, 500, 600_000),
  /** A process without a heartbeat for this long is dead, and its token request is taken over. */
  REFRESH_TAKEOVER_MS: integer(45_000, 1_000, 600_000),
  TOKEN_HOST_CONCURRENCY: integer(8, 1, 1_000),
  REFRESH_SWEEP_MS: integer(60_000, 100, 3_600_000),
  REFRESH_JOURNAL_DAYS: integer(7, 1, 365),
  /** The first tries within an hour, the others an hour apart: most of a day. */
  REVOCATION_ATTEMPTS: integer(20, 1, 1_000),
  REVOCATION_RECORD_DAYS: integer(30, 1, 365),
  OAUTH_FLOW_SECONDS: integer(600, 30, 3_600),
  /** The longest time for asking a provider through its adapter. */
  VERIFY_TIMEOUT_MS: integer(25_000, 100, 120_000),
  /** How long repeated equal uses are counted before their number is written. */
  AUDIT_FLUSH_MS: integer(300_000, 10, 3_600_000),
  /** How long a replaced signing secret stays valid, unless the rotation says otherwise. */
  ROTATION_OVERLAP_SECONDS: integer(86_400, 0, 2_592_000),
  /** How often replaced values whose overlap has ended are looked for. */
  ROTATION_SWEEP_MS: integer(1_000, 50, 60_000),
  /** How often due notifications are looked for. */
  NOTIFY_SWEEP_MS: integer(2_000, 100, 600_000),
  NOTIFICATION_KEEP_DAYS: integer(30, 1, 3_650),
  /**
   * Thumbprints of the keys of vaults to which projects may move (RFC 7638), as their installations show them: this
   * vault seals secrets for no other.
   */
  MOVE_TARGET_KEYS: list,
  /** Which service may ask for what. An entry replaces that service's default. */
  SERVICE_POLICY: servicePolicy,
};

/** Read once at boot. @throws Error that lists every invalid setting */
export function readSettings(environment: NodeJS.ProcessEnv = process.env) {
  const GATEHOUSE_KEK_RING = kekRing(environment['NODE_ENV'] === 'production');
  return readEnv({ ...settings, GATEHOUSE_KEK_RING }, environment);
}
