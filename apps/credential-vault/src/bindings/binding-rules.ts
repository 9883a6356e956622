import { type FieldError, Problem } from '#libs/service-kit';
import type { Credential } from '../credential-store/credential.entity.js';
import { isProtected, rulesOf, tokenFields } from '../credential-store/field-rules.js';
import { isAnswerField } from '../oauth-providers/answer-fields.js';
import type { CredentialBinding } from '../credential-store/credential-binding.entity.js';

export type BindingRules = Pick<CredentialBinding, 'fields' | 'maps_to' | 'approved'>;

const namePattern = /^[A-Za-z_][\w.-]{0,63}$/;
const maxNames = 50;

/** The consumer's name for a field. */
export function nameOf({ maps_to: mapsTo }: BindingRules, field: string): string {
  return mapsTo[field] ?? field;
}

/**
 * Fields in the order in which they are put under their names: what a provider said besides tokens comes first, so that
 * no answer takes a name that a binding gives to another field.
 */
export function namedLast<T>(fields: ReadonlyMap<string, T>): [string, T][] {
  return [...fields].sort(([one], [other]) => Number(isAnswerField(other)) - Number(isAnswerField(one)));
}

/**
 * Whether a field may leave the vault by a binding. A protected field leaves only under the name for which it was
 * approved. A changed name has no effect until it is approved too.
 */
export function leaves(credential: Pick<Credential, 'type'>, binding: BindingRules, field: string): boolean {
  const approved = binding.approved[field] === nameOf(binding, field);
  if (isProtected(credential, field)) return approved;
  return binding.fields === null || binding.fields.includes(field);
}

/** Whether a signature check may read a field. It may only read signing fields, never a grant's token. */
export function signs(
  credential: Pick<Credential, 'type'>,
  binding: BindingRules & Pick<CredentialBinding, 'signing'>,
  field: string,
): boolean {
  if (credential.type === 'oauth2' && tokenFields.includes(field)) return false;
  return binding.signing === null || [field, nameOf(binding, field)].some((name) => binding.signing?.includes(name));
}

/** Fields that the binding requests and that wait for an administrator's approval. */
export function awaitingApproval(credential: Pick<Credential, 'type'>, binding: BindingRules): string[] {
  const asked = new Set([...(binding.fields ?? []), ...Object.keys(binding.maps_to)]);
  return [...asked].filter((field) => isProtected(credential, field) && !leaves(credential, binding, field)).sort();
}

/** @throws Problem 422 `invalid_fields`, with one entry per invalid field */
export function checkBinding(credential: Credential, binding: BindingRules): void {
  // Possible fields count, not present ones: the tokens of an oauth2 credential arrive with its grant.
  const known = rulesOf(credential)?.map(({ name }) => name) ?? credential.fields.map(({ field }) => field);
  const isKnown = (field: string): boolean =>
    known.includes(field) || (credential.type === 'oauth2' && isAnswerField(field));
  const errors: FieldError[] = [];
  const wrong = (field: string, message: string): void => void errors.push({ field, message });
  const unknown = `is not a field of this credential. Its fields: ${known.join(', ')}`;

  binding.fields?.forEach((field, at) => {
    if (!isKnown(field)) wrong(`fields.${at}`, unknown);
  });
  const pairs = Object.entries(binding.maps_to);
  if (pairs.length > maxNames) wrong('maps_to', `must not name more than ${maxNames} fields`);
  for (const [field, name] of pairs.slice(0, maxNames)) {
    const path = `maps_to.${field.slice(0, 64)}`;
    if (!isKnown(field)) wrong(path, unknown);
    else if (binding.fields && !binding.fields.includes(field)) wrong(path, 'is not one of the fields of the binding');
    else if (typeof name !== 'string' || !namePattern.test(name)) {
      wrong(path, 'must be a letter or _, then up to 63 letters, digits, _, . and -');
    } else if (
      [...known, ...Object.keys(binding.maps_to)].some((other) => other !== field && nameOf(binding, other) === name)
    ) {
      wrong(path, 'is already the name of another field of the binding');
    }
  }
  if (errors.length > 0) throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', errors);
}
