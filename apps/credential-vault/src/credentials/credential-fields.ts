import { type FieldError, Problem } from '#libs/service-kit';
import { Secret } from '../sealing/secret.js';
import { type DeclaredField, fieldNamePattern, maxValueBytes } from '../credential-store/declared-field.js';
import { type FieldValue, fromSecret, listMark, maxListValues, toSecret } from '../credential-store/field-value.js';
import type { CredentialType } from '../credential-store/credential.entity.js';
import { savedValueProblem, trimmed } from './saved-value.js';
import { type FieldRules, rulesOf } from '../credential-store/field-rules.js';

/** What was changed of a given value. */
export type FieldNote = FieldError;

const maxFields = 50;

/**
 * Checks all of a credential's fields against its type, grant and declaration (spec 2.2). Errors name fields, never
 * values, and all are reported at once.
 * @throws Problem 422 `invalid_fields`
 */
export function checkFields(rules: FieldRules, fields: ReadonlyMap<string, Secret>): void {
  const declared = rulesOf(rules);
  const errors: FieldError[] = [];
  if (fields.size < 1 || fields.size > maxFields) {
    errors.push({ field: 'fields', message: `must have 1 to ${maxFields} fields` });
  }
  if (declared) {
    for (const { name, required = true } of declared) {
      if (required && !fields.has(name)) errors.push({ field: `fields.${name}`, message: 'is missing' });
    }
    for (const [name, secret] of fields) {
      const rule = declared.find((one) => one.name === name);
      const message = rule ? problemUnder(rule, fromSecret(secret)) : notOne(declared.map((one) => one.name));
      if (message) errors.push({ field: `fields.${name}`, message });
    }
  }
  if (errors.length > 0) throw wrongFields(errors);
}

/**
 * Wraps a request's values, so that they cannot reach a log, and without white space around them.
 * @param notes gets what was changed, for the answer
 * @throws Problem 422 `invalid_fields`, also for values that cannot protect
 */
export function readFields(
  type: CredentialType,
  given: Record<string, unknown>,
  notes: FieldNote[],
): Map<string, Secret> {
  const fields = new Map<string, Secret>();
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(given)) {
    const message = fieldNamePattern.test(name)
      ? valueProblem(type, name, value)
      : 'a field name is a lower-case letter, then up to 63 of a-z, 0-9 and _';
    if (message) errors.push({ field: `fields.${name.slice(0, 64)}`, message });
    else fields.set(name, toSecret(withoutSpace(name, value as FieldValue, notes)));
  }
  if (errors.length > 0) throw wrongFields(errors.slice(0, maxFields));
  return fields;
}

export function wrongFields(errors: FieldError[]): Problem {
  return new Problem(422, 'invalid_fields', 'Some fields are not valid.', errors);
}

function withoutSpace(name: string, value: FieldValue, notes: FieldNote[]): FieldValue {
  const after = Array.isArray(value) ? value.map(trimmed) : trimmed(value);
  if ([after].flat().join('\n') !== [value].flat().join('\n')) {
    notes.push({ field: `fields.${name}`, message: 'was stored without the white space and line ends around it' });
  }
  return after;
}

function valueProblem(type: CredentialType, name: string, value: unknown): string | null {
  const problemOf = (one: unknown): string | null =>
    textProblem(one) ?? savedValueProblem(type, name, trimmed(one as string));
  if (!Array.isArray(value)) return problemOf(value);
  if (value.length < 1 || value.length > maxListValues) return `a list has 1 to ${maxListValues} values`;
  return value.map(problemOf).find((problem) => problem !== null) ?? null;
}

function textProblem(value: unknown): string | null {
  if (typeof value !== 'string') return 'must be a string, or a list of strings';
  if (value.startsWith(listMark)) return 'must not start with a NUL character';
  if (Buffer.byteLength(value, 'utf8') > maxValueBytes) return `must not be longer than ${maxValueBytes} bytes`;
  return null;
}

function problemUnder(
  { required = true, list = false, max_bytes: maxBytes = maxValueBytes }: DeclaredField,
  value: FieldValue,
): string | null {
  if (Array.isArray(value) !== list) return list ? 'must be a list of strings' : 'must be one string';
  const values = [value].flat();
  if (required && values.includes('')) return 'must not be empty';
  if (values.some((one) => Buffer.byteLength(one, 'utf8') > maxBytes))
    return `must not be longer than ${maxBytes} bytes`;
  return null;
}

const notOne = (names: string[]): string => `is not a field of this credential. Its fields: ${names.join(', ')}`;
