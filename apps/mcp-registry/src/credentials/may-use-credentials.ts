import { type Principal, Problem } from '#libs/service-kit';

/**
 * Naming a credential for a server or a Skill decides where its values are sent, so it takes the right to manage
 * credentials. Services may name one too: a person with that right linked it before.
 * @throws Problem 403 `scope_missing`
 */
export function requireCredentialRights({ scopes }: Principal): void {
  if (scopes.includes('admin') || scopes.includes('credentials:write') || scopes.includes('service')) return;
  throw new Problem(
    403,
    'scope_missing',
    'Giving a credential to a server or a Skill needs the scope credentials:write.',
  );
}
