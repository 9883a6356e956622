import { settingOf, WrongSettings } from '#libs/settings';
import { httpLimitDefaults } from './http-limits.js';
import { bodyLimitDefaults } from './incoming/body-limits.js';
import { readIssuers } from './service-issuers.js';
import { tokenLimitDefaults } from './token-limits.js';
import type { Jwk } from './service-keys.js';

/** Reads and checks one environment variable; throws a sentence that says what to do. */
export type Reader<T> = (name: string, value: string | undefined) => T;

export const text =
  (fallback?: string): Reader<string> =>
  (name, value) => {
    const result = value || fallback;
    if (result === undefined) throw new Error(`${name} is not set`);
    return result;
  };

export const optionalText: Reader<string | null> = (_name, value) => value || null;

export const integer =
  (fallback: number, min: number, max: number): Reader<number> =>
  (name, value) => {
    const result = value ? Number(value) : fallback;
    if (!Number.isInteger(result) || result < min || result > max) {
      throw new Error(`${name} is ${JSON.stringify(value)}: give a whole number from ${min} to ${max}`);
    }
    return result;
  };

/** One of these words; the first one where nothing is set. */
export const oneOf =
  <T extends string>(...words: [T, ...T[]]): Reader<T> =>
  (name, value) => {
    const result = words.find((word) => word === (value || words[0]));
    if (result === undefined) throw new Error(`${name} is ${JSON.stringify(value)}: give one of ${words.join(', ')}`);
    return result;
  };

export const url =
  (fallback?: string): Reader<string> =>
  (name, value) => {
    const result = text(fallback)(name, value);
    if (!URL.canParse(result)) throw new Error(`${name} is not a URL`);
    // From Kubernetes, which leaves an unknown variable unresolved; at the next start it may know it.
    if (result.includes('$(')) throw new Error(`${name} contains a variable that was not filled in`);
    return result.replace(/\/$/, '');
  };

/** As `url`; null when it is not set. */
export const optionalUrl: Reader<string | null> = (name, value) => (value ? url()(name, value) : null);

/** A JSON value; `check` narrows it and throws what is wrong. */
export const json =
  <T>(check: (value: unknown) => T): Reader<T> =>
  (name, value) => {
    let parsed: unknown;
    try {
      parsed = JSON.parse(text()(name, value));
    } catch {
      // The value is probably a secret: the error must not contain it.
      throw new Error(`${name} is not valid JSON, or not set`);
    }
    return check(parsed);
  };

/** As `json`; null when it is not set. */
export const optionalJson =
  <T>(check: (value: unknown) => T): Reader<T | null> =>
  (name, value) =>
    value ? json(check)(name, value) : null;

/** A list, comma-separated; empty when not set. */
export const list: Reader<string[]> = (_name, value) =>
  (value ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

type Values<S> = { [K in keyof S]: S[K] extends Reader<infer T> ? T : never };

/**
 * Reads a service's settings once at boot, each from the environment or from the file that `<NAME>_FILE` names.
 * @throws WrongSettings with every variable that is wrong, not only the first
 */
export function readEnv<S extends Record<string, Reader<unknown>>>(
  spec: S,
  source: NodeJS.ProcessEnv = process.env,
): Values<S> {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, read] of Object.entries(spec)) {
    try {
      values[name] = read(name, settingOf(name, source));
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (problems.length > 0) throw new WrongSettings(problems);
  return values as Values<S>;
}

/** What slow clients may take; for every service. */
export const httpLimitSettings = {
  HTTP_HEADERS_TIMEOUT_MS: integer(httpLimitDefaults.HTTP_HEADERS_TIMEOUT_MS, 100, 600_000),
  HTTP_REQUEST_TIMEOUT_MS: integer(httpLimitDefaults.HTTP_REQUEST_TIMEOUT_MS, 100, 3_600_000),
  HTTP_SILENCE_TIMEOUT_MS: integer(httpLimitDefaults.HTTP_SILENCE_TIMEOUT_MS, 100, 3_600_000),
  HTTP_HALF_CLOSED_MS: integer(httpLimitDefaults.HTTP_HALF_CLOSED_MS, 100, 3_600_000),
  HTTP_LONG_ANSWER_BYTES_PER_SECOND: integer(
    httpLimitDefaults.HTTP_LONG_ANSWER_BYTES_PER_SECOND,
    1_048_576,
    68_719_476_736,
  ),
  HTTP_MAX_CONNECTIONS: integer(httpLimitDefaults.HTTP_MAX_CONNECTIONS, 10, 1_000_000),
};

/** What connections and bodies may take of a process that clients reach directly. */
export const clientLimitSettings = {
  /** Connections of one address (a /64 of IPv6) at a time in one replica, unless it is one of TRUSTED_PROXIES. */
  HTTP_CONNECTIONS_PER_ADDRESS: integer(2_000, 1, 1_000_000),
  /** A body that has come within this time counts against no limit of slow bodies. */
  BODY_PROMPT_MS: integer(bodyLimitDefaults.BODY_PROMPT_MS, 50, 60_000),
  /** A body that has not begun after this time is answered 408. From then on it needs its minimal rate. */
  BODY_GRACE_MS: integer(bodyLimitDefaults.BODY_GRACE_MS, 100, 600_000),
  /** The least that a body has to come at after BODY_GRACE_MS. */
  BODY_MIN_BYTES_PER_SECOND: integer(bodyLimitDefaults.BODY_MIN_BYTES_PER_SECOND, 1, 1_000_000),
  /** Slow bodies of one address (a /64 of IPv6) at a time in one replica; more are answered 429. */
  SLOW_BODIES_PER_ADDRESS: integer(bodyLimitDefaults.SLOW_BODIES_PER_ADDRESS, 1, 100_000),
  /** The same for one webhook token, or one credential of the API. */
  SLOW_BODIES_PER_TOKEN: integer(bodyLimitDefaults.SLOW_BODIES_PER_TOKEN, 1, 100_000),
  /** The same for all. */
  SLOW_BODIES: integer(bodyLimitDefaults.SLOW_BODIES, 1, 1_000_000),
  /** Memory for bodies of more than 16 KiB in one replica, until they are answered; beyond it 503. */
  BODY_MEMORY_BYTES: integer(bodyLimitDefaults.BODY_MEMORY_BYTES, 1_048_576, 68_719_476_736),
  /** The part of it that one address may use. */
  BODY_MEMORY_BYTES_PER_ADDRESS: integer(bodyLimitDefaults.BODY_MEMORY_BYTES_PER_ADDRESS, 1_048_576, 68_719_476_736),
};

/** Where a service serves its metrics and its detailed state; 0: any free port. */
export const operationsSettings = { OPERATIONS_PORT: integer(9090, 0, 65_535) };
/** Where traces and metrics go; for every service. */
export const telemetrySettings = {
  /** OTLP over HTTP (`http://collector:4318`); none: no traces are made, and metrics wait to be scraped. */
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalUrl,
  /** The share of messages whose trace is sent. */
  TRACES_PERCENT: integer(100, 0, 100),
  /** How often metrics are sent there, in ms; 0: never. */
  METRICS_EXPORT_MS: integer(0, 0, 3_600_000),
};
/** Limits on service tokens; for every service. */
export const tokenLimitSettings = {
  SERVICE_TOKEN_MAX_AGE_SECONDS: integer(tokenLimitDefaults.SERVICE_TOKEN_MAX_AGE_SECONDS, 130, 86_400),
  SERVICE_TOKEN_REMEMBERED: integer(tokenLimitDefaults.SERVICE_TOKEN_REMEMBERED, 1_000, 10_000_000),
};

/** Settings of every service with a database and queues. */
export const serviceSettings = {
  ...httpLimitSettings,
  ...operationsSettings,
  ...telemetrySettings,
  ...tokenLimitSettings,
  PORT: integer(8080, 1, 65_535),
  HOST: text('127.0.0.1'),
  DATABASE_URL: url(),
  REDIS_URL: url(),
  DATABASE_POOL: integer(10, 2, 200),
  QUEUE_CONCURRENCY: integer(16, 1, 1_000),
  HAND_OVER_CONCURRENCY: integer(16, 0, 1_000),
  /** As QUEUE_CONCURRENCY, for jobs of projects that send more than their share; one at a time while others come. */
  SURPLUS_CONCURRENCY: integer(16, 1, 1_000),
  /** The share of its time in which a process handles such jobs of a queue while those of others come. */
  SURPLUS_DUTY_PERCENT: integer(20, 1, 100),
  GATEHOUSE_SERVICE_KEY: json(privateKeys),
  PUBLIC_URL: url(),
  LOG_LEVEL: text('info'),
  /** The form of new ids. */
  ID_FORM: oneOf('short', 'long'),
  /** Public keys of each service, `{service: URL of its JWKS, or the JWKS}`; absent: all sign with one key. */
  GATEHOUSE_SERVICE_ISSUERS: optionalJson(readIssuers),
  /** `iss` of the cluster's ServiceAccount tokens; absent: they are not accepted. */
  KUBERNETES_ISSUER: optionalText,
  KUBERNETES_JWKS_URL: optionalText,
  /** The namespace whose ServiceAccounts are services. */
  KUBERNETES_NAMESPACE: optionalText,
  /** A token for the JWKS, where the API server does not give it to everyone. */
  KUBERNETES_JWKS_TOKEN_FILE: optionalText,
  /**
   * A folder of projected tokens, one file per audience (`credential-vault`), which calls carry instead of own tokens.
   */
  KUBERNETES_TOKEN_DIR: optionalText,
};

/** For services that a message passes. */
export const pathSettings = {
  /** Shards of each queue of a message's path, by a hash of the project. */
  QUEUE_SHARDS: integer(1, 1, 16),
};

/** For services that hear of changes by a connection of its own. */
export const listenSettings = {
  /** Postgres itself, where DATABASE_URL leads to a pooler that shares connections by transaction. */
  DATABASE_DIRECT_URL: optionalUrl,
};

/** For services whose lists may be read from a replica of Postgres. */
export const replicaSettings = {
  /** A replica of Postgres, for lists that people look at; without a user in it, with that of DATABASE_URL. */
  DATABASE_REPLICA_URL: optionalUrl,
  /** A replica that is further behind is not read. */
  REPLICA_MAX_LAG_MS: integer(10_000, 1_000, 300_000),
  /** Connections of a process to it. */
  REPLICA_POOL: integer(5, 1, 200),
  /** A list that it has not answered by then is cancelled there and read from the primary. */
  REPLICA_ANSWER_MS: integer(5_000, 100, 60_000),
  /**
   * Lists that may lag and that a process reads from the primary at a time, as the replica is away, behind, busy or slow.
   */
  REPLICA_FALLBACK_CONNECTIONS: integer(2, 1, 200),
  /** How long further ones wait for that before they are answered 503. */
  REPLICA_FALLBACK_WAIT_MS: integer(5_000, 10, 60_000),
};

/** For services that cache rarely changed values and hear of their changes. */
export const changeSettings = {
  ...listenSettings,
  /** How long rarely changed values are cached while changes are heard. */
  CHANGE_CACHE_MS: integer(300_000, 1_000, 86_400_000),
};

/** One key, or `{"keys": [...]}`: the first one signs, the others only verify. */
function privateKeys(value: unknown): Jwk[] {
  const { keys } = (value ?? {}) as { keys?: unknown };
  const given = Array.isArray(keys) ? (keys as unknown[]) : [value];
  if (given.length === 0) throw new Error('GATEHOUSE_SERVICE_KEY holds no key');
  return given.map(privateKey);
}

function privateKey(value: unknown): Jwk {
  const key = value as Jwk | null;
  if (key?.kty !== 'OKP' || key.crv !== 'Ed25519' || !key.d) {
    throw new Error('GATEHOUSE_SERVICE_KEY is not an Ed25519 private key in JWK form');
  }
  return key;
}
