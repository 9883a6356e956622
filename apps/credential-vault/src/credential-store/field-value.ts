import { Secret } from '../sealing/secret.js';

/** A list's first and newest value is the one to sign with; all are good to verify with. */
export type FieldValue = string | string[];

export const maxListValues = 5;

/** What no single value may begin with: it tells a sealed list from a sealed text, inside of the ciphertext. */
export const listMark = '\u0000';

/** A list is sealed as its JSON after a NUL, a single value as it is. */
export function toSecret(value: FieldValue): Secret {
  return new Secret(typeof value === 'string' ? value : `${listMark}${JSON.stringify(value)}`);
}

export function fromSecret(secret: Secret): FieldValue {
  const text = secret.reveal();
  return text.startsWith(listMark) ? (JSON.parse(text.slice(1)) as string[]) : text;
}
