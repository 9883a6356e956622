import { Secret } from '../sealing/secret.js';

/** The first value of a list is the newest and the one to sign with. All of them are valid for verification. */
export type FieldValue = string | string[];

export const maxListValues = 5;

/** No single value may begin with it: inside the ciphertext, it distinguishes a list from a text. */
export const listMark = '\u0000';

/** A list is sealed as its JSON after a NUL, a single value as it is. */
export function toSecret(value: FieldValue): Secret {
  return new Secret(typeof value === 'string' ? value : `${listMark}${JSON.stringify(value)}`);
}

export function fromSecret(secret: Secret): FieldValue {
  const text = secret.reveal();
  return text.startsWith(listMark) ? (JSON.parse(text.slice(1)) as string[]) : text;
}
