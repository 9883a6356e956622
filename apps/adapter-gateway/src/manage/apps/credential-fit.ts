import type { CredentialDeclaration } from '#libs/adapter-sdk';
import { missingFields } from '#libs/contracts';
import type { CredentialDescription } from './credential-descriptions.js';
import { signingSecret } from '../../path/apps/app-credentials.js';

/** The declarations that a record fills by its type and field names, when one record is given for all of them. */
export function fillable(
  declarations: CredentialDeclaration[],
  record: Pick<CredentialDescription, 'type' | 'fields'>,
): CredentialDeclaration[] {
  const ofType = declarations.filter(({ type }) => type === record.type);
  // The consent fills what an oauth2 record lacks.
  if (record.type === 'oauth2') return ofType;
  const named = ofType.filter((declared) => lacks(declared, declarations, record, false).length === 0);
  if (named.length > 0) return named;
  // With a single declaration, a record of several fields is meant as a whole, and the built-in App has one secret.
  const meant = declarations.length === 1 && (record.fields.length > 1 || declarations[0]?.key === signingSecret.key);
  return meant ? ofType.filter((declared) => lacks(declared, declarations, record, true).length === 0) : [];
}

/**
 * Fields that a record of the declared type lacks for a declaration.
 * @param alone whether it fills no other declaration
 */
export function lacks(
  declared: CredentialDeclaration,
  declarations: CredentialDeclaration[],
  { fields }: Pick<CredentialDescription, 'fields'>,
  alone: boolean,
): string[] {
  const whole = declared.key !== signingSecret.key && declarations.filter(({ type }) => type === 'text').length === 1;
  return missingFields(declared, fields, { alone, whole });
}
