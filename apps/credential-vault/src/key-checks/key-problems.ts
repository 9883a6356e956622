import { secretWeakness } from '#libs/adapter-sdk';
import type { KeyCheck } from '#libs/contracts';
import type { FieldError } from '#libs/service-kit';
import { validValues } from '../credential-store/field-value.js';
import type { Secret } from '../sealing/secret.js';

/**
 * Which of the fields that check signatures hold no key that protects, and why, without their values.
 * @param nameOf a field's name in the binding
 */
export function keyProblems(
  { form, fields, or_only_field: orOnly }: KeyCheck,
  values: ReadonlyMap<string, Secret>,
  nameOf: (field: string) => string,
): FieldError[] {
  const all = [...values.keys()];
  const named = all.filter((field) => fields.includes(field) || fields.includes(nameOf(field)));
  const meant = named.length === 0 && orOnly && all.length === 1 ? all : named;
  return meant.flatMap((field) => {
    const secret = values.get(field);
    const weak = secret ? validValues(secret).map((value) => secretWeakness(value, form)) : [];
    const message = weak.find((words) => words !== null);
    return message ? [{ field, message: `cannot protect (${form}): it ${message}` }] : [];
  });
}
