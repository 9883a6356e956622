import type { CredentialBinding } from '#libs/contracts';
import type { BoundCredential } from '../bound-credentials.js';
import { failure, matchesHost, type ToolFailure } from '../tool.js';

const secretFields = ['access_token', 'token', 'api_key', 'password', 'secret'];

/** The secret of a credential of any type, for example the token of an api_key or the access token of an oauth2. */
export function secretOf({ fields }: BoundCredential): string | null {
  return secretFields.map((name) => fields[name]).find((value) => value) ?? null;
}

/**
 * Why a credential may not go to a URL, or null. Hosts are named by its Skill (`api.example.com`, `*.example.com`,
 * `localhost:8080`) or by the field `hosts` of its own record. If both name some, both must allow the URL. If neither
 * does, the credential goes nowhere.
 */
export function refusedFor(url: URL, { as, hosts, ownHosts }: BoundCredential): ToolFailure | null {
  const named = [hosts, ownHosts].filter((list) => list.length > 0);
  if (named.length === 0) {
    return failure(
      'credential_without_host',
      `The credential ${as} is bound to no host, so it is not sent: set hosts where the Skill binds it.`,
    );
  }
  const other = named.find((list) => !list.some((host) => matchesHost(url, host)));
  if (other) return notForHost(as, other, url.host);
  if (url.protocol !== 'https:' && !named.every((list) => list.some((host) => host.toLowerCase() === url.host))) {
    return failure(
      'credential_not_for_host',
      'A credential goes over https, or to a host that it names with its port.',
    );
  }
  return null;
}

/**
 * The header that authenticates a request. Default: `authorization` with `Bearer`, or with `Basic` if the record has a
 * `username`. Any other header has no scheme unless one is given.
 */
export function credentialHeader(url: URL, credential: BoundCredential): Record<string, string> | ToolFailure {
  const refused = refusedFor(url, credential);
  if (refused) return refused;
  const secret = secretOf(credential);
  if (!secret) return failure('no_credential', `The credential ${credential.as} has no secret to send.`);
  const header = (credential.header ?? 'authorization').toLowerCase();
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(header))
    return failure('no_credential', `The name of the header of the credential ${credential.as} is not valid.`);
  const username = credential.fields['username'];
  const basic = username !== undefined && header === 'authorization' && credential.scheme === null;
  if (basic || credential.scheme?.toLowerCase() === 'basic') {
    return { [header]: `Basic ${Buffer.from(`${username ?? ''}:${secret}`).toString('base64')}` };
  }
  const scheme = credential.scheme ?? (header === 'authorization' ? 'Bearer' : '');
  return { [header]: scheme === '' ? secret : `${scheme} ${secret}` };
}

export function notForHost(as: string, bound: string[], host: string): ToolFailure {
  return failure('credential_not_for_host', `The credential ${as} is bound to ${bound.join(', ')}, not to ${host}.`);
}

/**
 * For a request that carries none of the credentials that its Skill binds: which ones stayed behind and why, in words.
 * Otherwise an answer without them looks like a complete one.
 */
export function notSent(url: URL, bindings: readonly CredentialBinding[]): string {
  const reasons = bindings.map(({ as, hosts = [] }) => {
    if (hosts.length > 0) return `${as} goes to ${hosts.join(', ')}`;
    return `${as} is bound to no host, by a manifest or by a person: name it in \`credential\`, or set hosts where the Skill binds it`;
  });
  return `This request to ${url.host} went out without a credential (${reasons.join('; ')}).`;
}
