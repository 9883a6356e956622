import { Secret } from '../sealing/secret.js';

/** The first value of a list is the newest and the one to sign with. All of them are valid for verification. */
export type FieldValue = string | string[];

export const maxListValues = 5;

/** No single value may begin with it: inside the ciphertext, it distinguishes a list from a text. */
export const listMark = '\u0000';

/** Begins a single value that is in rotation, followed by the JSON of the new value and the one before. */
const rotationMark = `${listMark}rotating `;

/** A list is sealed as its JSON after a NUL, a single value as it is. */
export function toSecret(value: FieldValue): Secret {
  return new Secret(typeof value === 'string' ? value : `${listMark}${JSON.stringify(value)}`);
}

/** A single value with the one that it replaces. */
export function toRotating(values: [string, string]): Secret {
  return new Secret(`${rotationMark}${JSON.stringify(values)}`);
}

/** Both values of a single value in rotation, the new one first; null for any other. */
export function rotatingValues(secret: Secret): string[] | null {
  const text = secret.reveal();
  return text.startsWith(rotationMark) ? (JSON.parse(text.slice(rotationMark.length)) as string[]) : null;
}

/** Every value with which something may be verified. */
export function validValues(secret: Secret): string[] {
  return rotatingValues(secret) ?? [fromSecret(secret)].flat();
}

/** What to use: of a single value in rotation, the new one. */
export function fromSecret(secret: Secret): FieldValue {
  const rotating = rotatingValues(secret);
  if (rotating) return rotating[0] ?? '';
  const text = secret.reveal();
  return text.startsWith(listMark) ? (JSON.parse(text.slice(1)) as string[]) : text;
}
