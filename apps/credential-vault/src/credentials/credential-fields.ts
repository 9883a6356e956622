import { type FieldError, Problem } from '#libs/service-kit';
import { Secret } from '../sealing/secret.js';
import type { CredentialType } from './credential.entity.js';

const namePattern = /^[a-z][a-z0-9_]{0,63}$/;
const maxTextFields = 50;
const maxValueBytes = 64 * 1024;

/**
 * Checks the whole set of a credential's fields (spec 2.2): `api_key` has exactly `token`; `text` has 1 to 50 fields of its own.
 * Errors name fields, never values.
 * @throws Problem 422 `invalid_fields`
 */
export function checkFields(type: CredentialType, fields: ReadonlyMap<string, Secret>): void {
  const names = [...fields.keys()];
  if (type === 'api_key' && (names.length !== 1 || names[0] !== 'token')) {
    throw wrong([{ field: 'fields', message: 'an api_key has exactly one field: token' }]);
  }
  if (type === 'api_key' && fields.get('token')?.reveal() === '') {
    throw wrong([{ field: 'fields.token', message: 'must not be empty' }]);
  }
  if (names.length < 1 || names.length > maxTextFields) {
    throw wrong([{ field: 'fields', message: `must have 1 to ${maxTextFields} fields` }]);
  }
}

/** Takes the values of a request out of reach of logs. @throws Problem 422 `invalid_fields` */
export function readFields(given: Record<string, unknown>): Map<string, Secret> {
  const fields = new Map<string, Secret>();
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(given)) {
    const message = problemOf(name, value);
    if (message) errors.push({ field: `fields.${name.slice(0, 64)}`, message });
    else fields.set(name, new Secret(value as string));
  }
  if (errors.length > 0) throw wrong(errors.slice(0, maxTextFields));
  return fields;
}

function problemOf(name: string, value: unknown): string | null {
  if (!namePattern.test(name)) return 'a field is named by a lower-case letter, then up to 63 of a-z, 0-9 and _';
  if (typeof value !== 'string') return 'must be a string';
  if (Buffer.byteLength(value, 'utf8') > maxValueBytes) return `must not be longer than ${maxValueBytes} bytes`;
  return null;
}

function wrong(errors: FieldError[]): Problem {
  return new Problem(422, 'invalid_fields', 'Some fields are not valid.', errors);
}
