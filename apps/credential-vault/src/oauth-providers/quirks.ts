/** A provider's deviations from RFC 6749, as its manifest declares them. */
export interface Quirks {
  /** Life of an access token in seconds when the answer has no `expires_in`. */
  default_expires_in?: number;
  /** Seconds after which the provider forgets an unused refresh token. */
  refresh_token_idle_seconds?: number;
  /** Dotted path to the object that holds the tokens (`authed_user`). */
  token_path?: string;
  /** Dotted paths in the token answer that together identify the account (`team.id`). */
  account_fields?: string[];
  /** The provider's error codes that mean `invalid_grant`. */
  permanent_errors?: string[];
  /** The provider's error codes that mean that someone there withdrew the consent. */
  revoked_errors?: string[];
  /** Revoking the tokens of one consent leaves those of a later one, of the same account and client, valid. */
  separate_consents?: boolean;
}

const maxSeconds = 10 * 365 * 86_400;
const path = /^[A-Za-z0-9_.-]{1,100}$/;

const checks: Record<keyof Quirks, { right: (value: unknown) => boolean; message: string }> = {
  default_expires_in: { right: isSeconds, message: 'must be a number of seconds' },
  refresh_token_idle_seconds: { right: isSeconds, message: 'must be a number of seconds' },
  token_path: { right: isPath, message: 'must be a dotted path' },
  account_fields: { right: (value) => isList(value, isPath), message: 'must be a list of up to 10 dotted paths' },
  permanent_errors: { right: (value) => isList(value, isPath), message: 'must be a list of up to 10 error codes' },
  revoked_errors: { right: (value) => isList(value, isPath), message: 'must be a list of up to 10 error codes' },
  separate_consents: { right: (value) => typeof value === 'boolean', message: 'must be true or false' },
};

/** Quirks that this version does not know are ignored: a manifest may be newer than this service. */
export function readQuirks(given: unknown, wrong: (field: string, message: string) => void): Quirks {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    wrong('quirks', 'must be an object');
    return {};
  }
  const known: Record<string, unknown> = {};
  for (const [name, { right, message }] of Object.entries(checks)) {
    const value = (given as Record<string, unknown>)[name];
    if (value === undefined) continue;
    if (right(value)) known[name] = value;
    else wrong(`quirks.${name}`, message);
  }
  return known;
}

/** The value at a dotted path of a JSON value. */
export function at(value: unknown, dotted: string): unknown {
  return dotted
    .split('.')
    .reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
          ? (inner as Record<string, unknown>)[key]
          : undefined,
      value,
    );
}

function isSeconds(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= maxSeconds;
}

function isPath(value: unknown): boolean {
  return typeof value === 'string' && path.test(value);
}

function isList(value: unknown, right: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length <= 10 && value.every(right);
}
