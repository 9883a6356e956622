import { type Principal, Problem } from '#libs/service-kit';

/**
 * Who names a credential for a server or a Skill decides where its values go: that takes the right to manage credentials.
 * A service names what a person with that right linked before.
 * @throws Problem 403 `scope_missing`
 */
export function requireCredentialRights({ scopes }: Principal): void {
  if (scopes.includes('admin') || scopes.includes('credentials:write') || scopes.includes('service')) return;
  throw new Problem(
    403,
    'scope_missing',
    'To give a credential to a server or a Skill needs the scope credentials:write.',
  );
}
