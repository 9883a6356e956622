import { optionalText, type Reader } from '#libs/service-kit';
import { WrongSettings } from '#libs/settings';
import type { JsonWebKey } from 'node:crypto';
import { type RoleName, roleNames } from '../../api-keys/roles.js';

/** Settings of single sign-on. Without an issuer it is off. */
export interface OidcSettings {
  PUBLIC_URL: string;
  /** Sign the cookies of sign-ins that were begun. */
  GATEHOUSE_SERVICE_KEY: JsonWebKey | JsonWebKey[];
  OIDC_ISSUER: string | null;
  OIDC_CLIENT_ID: string | null;
  OIDC_CLIENT_SECRET: string | null;
  OIDC_NAME: string | null;
  OIDC_DEFAULT_ROLE: RoleName | null;
  OIDC_ROLE_CLAIM: string | null;
  OIDC_ROLES: Record<string, RoleName>;
  OIDC_TRUST_EMAIL: boolean;
  GATEHOUSE_EGRESS_ALLOW: string[];
}

const issuer: Reader<string | null> = (name, value) => {
  if (!value) return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  const isLocal = url !== null && /^(localhost|127\.0\.0\.1|\[::1\]|.*\.localhost)$/.test(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) return value;
  throw new Error(`${name} must be an https URL: the issuer as its discovery document names it`);
};

const role: Reader<RoleName | null> = (name, value) => {
  if (!value || value === 'none') return null;
  if (isRole(value)) return value;
  throw new Error(`${name} is ${JSON.stringify(value)}: it must be one of ${roleNames.join(', ')}, or none`);
};

/** `{"<value of the claim>": "<role>"}`. */
const rolesByValue: Reader<Record<string, RoleName>> = (name, value) => {
  const wrong = `${name} must be a JSON object from value of the claim to role (${roleNames.join(', ')})`;
  if (!value) return {};
  let given: unknown;
  try {
    given = JSON.parse(value);
  } catch {
    throw new Error(wrong);
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw new Error(wrong);
  return Object.fromEntries(
    Object.entries(given).map(([claimed, granted]: [string, unknown]) => {
      if (!isRole(granted)) throw new Error(wrong);
      return [claimed, granted];
    }),
  );
};

const flag: Reader<boolean> = (name, value) => {
  if (value && value !== 'true' && value !== 'false') throw new Error(`${name} must be true or false`);
  return value === 'true';
};

export const oidcSettings = {
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: optionalText,
  /** Absent for a public client, which relies on PKCE alone. */
  OIDC_CLIENT_SECRET: optionalText,
  /** Shown on the button. */
  OIDC_NAME: optionalText,
  /** The role of a user whom nobody invited; none: they are refused. */
  OIDC_DEFAULT_ROLE: role,
  /** A claim that is mapped to roles at each sign-in, by `OIDC_ROLES`. */
  OIDC_ROLE_CLAIM: optionalText,
  OIDC_ROLES: rolesByValue,
  /** Trusts addresses that the issuer does not mark as verified: some issuers never do. */
  OIDC_TRUST_EMAIL: flag,
};

/** @throws Error where the settings contradict each other */
export function checkOidc({ OIDC_ISSUER, OIDC_CLIENT_ID }: Pick<OidcSettings, 'OIDC_ISSUER' | 'OIDC_CLIENT_ID'>): void {
  if (OIDC_ISSUER !== null && OIDC_CLIENT_ID === null) {
    throw new WrongSettings(['OIDC_ISSUER is set but OIDC_CLIENT_ID is not']);
  }
}

/** The highest role that the claim's values map to; null: none. */
export function roleOfClaim(
  { OIDC_ROLE_CLAIM: claim, OIDC_ROLES: roles }: Pick<OidcSettings, 'OIDC_ROLE_CLAIM' | 'OIDC_ROLES'>,
  claims: Record<string, unknown>,
): RoleName | null {
  if (claim === null) return null;
  const values = [claims[claim]].flat().filter((value) => typeof value === 'string');
  const given = values.map((value) => (Object.hasOwn(roles, value) ? roles[value] : undefined));
  return roleNames.find((name) => given.includes(name)) ?? null;
}

function isRole(value: unknown): value is RoleName {
  return roleNames.some((name) => name === value);
}
