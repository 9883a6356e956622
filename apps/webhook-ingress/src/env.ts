import {
  clientLimitSettings,
  integer,
  list,
  listenSettings,
  optionalText,
  readEnv,
  pathSettings,
  serviceSettings,
  url,
} from '#libs/service-kit';

const settings = {
  ...serviceSettings,
  ...pathSettings,
  ...clientLimitSettings,
  ...listenSettings,
  GATEWAY_URL: url(),
  VAULT_URL: url(),
  ROUTER_URL: url(),
  /** How long signing secrets that do not change are cached before the vault is asked again. */
  CREDENTIAL_CACHE_MS: integer(10_000, 0, 600_000),
  /** How often the gateway is asked for changed endpoints, beside every notification of a change. */
  ENDPOINT_PULL_MS: integer(5_000, 100, 3_600_000),
  /** Proxies whose X-Forwarded-For names the client. */
  TRUSTED_PROXIES: list,
  /**
   * Requests per second that one endpoint may receive in one replica before it answers 429. The default is more than one
   * replica acknowledges: it refuses nothing that could be held.
   */
  ENDPOINT_RATE_PER_SECOND: integer(30_000, 1, 10_000_000),
  /** Requests per second from one address in one replica, likewise. */
  ADDRESS_RATE_PER_SECOND: integer(30_000, 1, 10_000_000),
  /** Requests per minute for tokens that do not exist, per address. */
  UNKNOWN_TOKEN_RATE_PER_MINUTE: integer(120, 1, 1_000_000),
  /**
   * Longest wait for an adapter that has to say whether a request is a handshake; after it, the request is a message.
   */
  HANDSHAKE_TIMEOUT_MS: integer(2_500, 100, 30_000),
  /** A POST with a longer body is no handshake. */
  HANDSHAKE_MAX_BODY_BYTES: integer(4_096, 0, 65_536),
  /** Content codings (gzip, deflate, br) that a body may have one over the other; 0: compressed bodies are refused. */
  BODY_MAX_CODINGS: integer(2, 0, 8),
  /** Rows of one group commit. */
  RECEIPT_BATCH: integer(256, 1, 1_000),
  /**
   * While Postgres does not answer, webhooks wait this long to be stored before they are answered 503: less than senders
   * wait for an answer. 0: they are refused at once.
   */
  HOLD_MS: integer(8_000, 0, 60_000),
  /** The same for Apps of Slack, which waits for three seconds only. */
  HOLD_SLACK_MS: integer(2_000, 0, 60_000),
  /** Webhooks that may wait for Postgres at a time, in this process; further ones are answered 503. */
  HOLD_MAX: integer(10_000, 1, 1_000_000),
  /** Bytes of the bodies of those. */
  HOLD_MAX_BYTES: integer(67_108_864, 1_048_576, 4_294_967_296),
  /**
   * A directory of this process, on a local disk: webhooks that wait for longer than HOLD_MS are appended there,
   * acknowledged, and moved to Postgres when it is back. Empty: they are answered 503.
   */
  SPOOL_DIR: optionalText,
  /** Bytes in that directory; when it is full, webhooks are answered 503. */
  SPOOL_MAX_BYTES: integer(1_073_741_824, 1_048_576, 1_099_511_627_776),
  /**
   * Refused webhooks that may wait to be written down while Postgres does not answer, in this process; of further ones
   * the number is kept.
   */
  REFUSALS_MAX_WAITING: integer(10_000, 100, 1_000_000),
  /**
   * Where no webhook could be stored for longer than this, providers are asked for what they could not deliver. Below the
   * time that a restart takes they would be asked at each.
   */
  OUTAGE_GAP_MS: integer(10_000, 5_000, 3_600_000),
  /** Bodies up to this size travel inside the job, larger ones by reference. */
  INLINE_LIMIT_BYTES: integer(16_384, 0, 1_048_576),
  /**
   * Most levels of nesting in a body of the built-in Webhook app; deeper is refused. Same as in the adapter-gateway.
   */
  MESSAGE_MAX_DEPTH: integer(100, 1, 500),
  /** What filters may read of a request's headers and query. */
  FILTER_REQUEST_BYTES: integer(8_192, 0, 65_536),
  /**
   * Requests of the built-in Webhook App that are parsed here, which saves each a job; further ones are parsed by the
   * gateway, in batches.
   */
  DIRECT_PARSES_PER_SECOND: integer(200, 0, 100_000),
  /** Jobs that may wait in all queues of a message's path before receipts wait in Postgres only. */
  MAX_WAITING_JOBS: integer(50, 1, 1_000_000),
  /** Messages that one project may send ahead of the surplus of others; it gets them back once none such wait. */
  PROJECT_ADVANCE: integer(100, 1, 1_000_000),
  /** Messages of one project per second in one replica, unless it has its own limit; more have to wait. 0: no limit. */
  PROJECT_MESSAGES_PER_SECOND: integer(0, 0, 100_000),
  /** Messages of one project that may wait for that limit before requests are answered 429. */
  PROJECT_MAX_WAITING: integer(50_000, 1, 400_000),
  /** A receipt that has not ended after this time is enqueued again. */
  RECEIPT_LEASE_MS: integer(10_000, 1_000, 3_600_000),
  /**
   * Receipts older than this are compressed in their rows: minutes after most have ended, so that none is read at once. 0:
   * they stay as they came.
   */
  RECEIPT_PACK_AFTER_MS: integer(900_000, 0, 86_400_000),
  /** Days that receipts, delivery keys and the journal are kept. */
  RETENTION_DAYS: integer(30, 1, 3_650),
};

/** Read once at boot. @throws Error with every setting that is wrong */
export const readSettings = (environment?: NodeJS.ProcessEnv) => readEnv(settings, environment);

export type IngressSettings = ReturnType<typeof readSettings>;

/** Injection tokens: of the settings, and of the clients of other services. */
export const SETTINGS = Symbol('ingressSettings');
export const GATEWAY = Symbol('adapter-gateway');
export const ROUTER = Symbol('router');
export const VAULT = Symbol('credential-vault');
