import type { Credential } from './credential.entity.js';
import type { DeclaredField } from './declared-field.js';

export type FieldRules = Pick<Credential, 'type' | 'grant' | 'declared_fields'>;

/** The name of a field whose value checks signatures: it needs the strength of a key, and may overlap with the next. */
export const signingName = /(?:^|_)(?:signing|webhook)_(?:secret|key)(?:_|$)/;

/** Fields of an oauth2 credential that only leave the vault if an administrator approved it for that binding. */
export const protectedFields: readonly string[] = ['client_secret', 'refresh_token'];

/** For a connected oauth2 credential, these come from its grant rather than from stored fields. */
export const tokenFields: readonly string[] = ['access_token', 'refresh_token'];

/** Whether some are stored fields nevertheless: they have not been moved into a grant. */
export function hasStoredTokens({ fields }: { fields: readonly { field: string }[] }): boolean {
  return fields.some(({ field }) => tokenFields.includes(field));
}

/** The fields that a credential may have (spec 2.2); null: any (a text credential without declared fields). */
export function rulesOf({ type, grant, declared_fields: declared }: FieldRules): readonly DeclaredField[] | null {
  if (type === 'text') return declared;
  if (type === 'api_key') return [{ name: 'token' }];
  return [
    { name: 'client_id' },
    // A public client of the authorization code grant authenticates by PKCE alone.
    { name: 'client_secret', required: grant === 'client_credentials' },
    { name: 'access_token', required: false },
    { name: 'refresh_token', required: false },
  ];
}

/** Whether a field of this credential needs an administrator's approval to leave the vault. */
export function isProtected({ type }: Pick<Credential, 'type'>, field: string): boolean {
  return type === 'oauth2' && protectedFields.includes(field);
}
