import { type FieldError, Problem } from '#libs/service-kit';
import { type Quirks, readQuirks } from './quirks.js';

export type ClientAuthMethod = 'client_secret_basic' | 'client_secret_post' | 'none';

/** What an authorization server requires of us: the `oauth_config` of a manifest, or one given with the credential. */
export interface ProviderConfig {
  slug: string;
  issuer: string | null;
  authorization_url: string | null;
  token_url: string | null;
  revocation_url: string | null;
  /** RFC 9207: the server declares that it sends `iss`, so an answer without it is refused. */
  iss_in_answers: boolean;
  /**
   * RFC 8707: the resource that the tokens are for, sent with every request for tokens. Absent in older stored
   * configurations.
   */
  resource?: string | null;
  scopes: string[];
  scope_separator: string;
  pkce: boolean;
  token_auth_method: ClientAuthMethod;
  extra_authorize_params: Record<string, string>;
  quirks: Quirks;
}

/** Parameters of an authorization request that only this service sets. */
const reserved = new Set([
  'state',
  'code_challenge',
  'code_challenge_method',
  'redirect_uri',
  'client_id',
  'client_secret',
  'response_type',
  'response_mode',
  'scope',
  'nonce',
  'request',
  'request_uri',
]);
const authMethods: readonly ClientAuthMethod[] = ['client_secret_basic', 'client_secret_post', 'none'];
const urlFields = ['issuer', 'authorization_url', 'token_url', 'revocation_url'] as const;
const loopback = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Reads an `oauth_config` field by field. Missing endpoints may come from the issuer's metadata (RFC 8414).
 * @throws Problem 422 `invalid_oauth_config`, with every invalid field
 */
export function readProviderConfig(slug: string, given: Record<string, unknown>): ProviderConfig {
  const errors: FieldError[] = [];
  const wrong = (field: string, message: string): void => void errors.push({ field: `oauth_config.${field}`, message });
  for (const field of urlFields) {
    const message = urlProblem(given[field]);
    if (message) wrong(field, message);
  }
  if (given['issuer'] === undefined && given['token_url'] === undefined)
    wrong('token_url', 'must be set if there is no issuer');
  if (!isResource(given['resource'])) wrong('resource', 'must be an absolute URI without a fragment');
  const scopes = given['scopes'] ?? [];
  if (!isTexts(scopes, 100, 256)) wrong('scopes', 'must be a list of up to 100 strings');
  const separator = given['scope_separator'] ?? ' ';
  if (separator !== ' ' && separator !== ',') wrong('scope_separator', 'must be a space or a comma');
  const pkce = given['pkce'] ?? true;
  if (typeof pkce !== 'boolean') wrong('pkce', 'must be true or false');
  const method = authMethods.find((one) => one === (given['token_auth_method'] ?? 'client_secret_basic'));
  if (!method) wrong('token_auth_method', `must be one of ${authMethods.join(', ')}`);
  const extra = given['extra_authorize_params'] ?? {};
  if (!isTextRecord(extra)) wrong('extra_authorize_params', 'must be an object of up to 30 strings');
  else
    for (const name of reservedIn(Object.keys(extra)))
      wrong(`extra_authorize_params.${name}`, 'must be left out: Gatehouse sets it');
  for (const name of reservedIn(queryNames(given['authorization_url']))) {
    wrong('authorization_url', `must not contain ${name}, which Gatehouse sets`);
  }
  const quirks = readQuirks(given['quirks'] ?? {}, wrong);
  if (errors.length > 0 || !method) {
    throw new Problem(422, 'invalid_oauth_config', 'The OAuth configuration is not valid.', errors);
  }
  return {
    slug,
    issuer: textOrNull(given['issuer']),
    authorization_url: textOrNull(given['authorization_url']),
    token_url: textOrNull(given['token_url']),
    revocation_url: textOrNull(given['revocation_url']),
    iss_in_answers: false,
    resource: textOrNull(given['resource']),
    scopes: scopes as string[],
    scope_separator: separator as string,
    pkce: pkce as boolean,
    token_auth_method: method,
    extra_authorize_params: extra as Record<string, string>,
    quirks,
  };
}

/** RFC 8707 section 2. */
function isResource(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return typeof value === 'string' && value.length <= 2_048 && URL.canParse(value) && !value.includes('#');
}

function urlProblem(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const url = typeof value === 'string' && value.length <= 2_048 ? URL.parse(value) : null;
  if (!url) return 'must be an absolute URL of up to 2048 characters';
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback.has(url.hostname))) return 'must be https';
  if (url.username !== '' || url.password !== '' || url.hash !== '') return 'must have no user, password or fragment';
  return null;
}

const reservedIn = (names: string[]): string[] => names.filter((name) => reserved.has(name.toLowerCase()));

function queryNames(url: unknown): string[] {
  return typeof url === 'string' && URL.canParse(url) ? [...new URL(url).searchParams.keys()] : [];
}

function isTexts(value: unknown, maxItems: number, maxLength: number): boolean {
  return (
    Array.isArray(value) &&
    value.length <= maxItems &&
    value.every((one) => typeof one === 'string' && one.length > 0 && one.length <= maxLength)
  );
}

function isTextRecord(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= 30 &&
    entries.every(([name, one]) => name.length <= 100 && typeof one === 'string' && one.length <= 2_048)
  );
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);
