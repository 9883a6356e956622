import { isJsonObject, type JsonObject } from './json-value.js';

/** What a field has to be, in words, and the check for it. */
export interface Wanted {
  readonly is: string;
  readonly accepts: (value: unknown) => boolean;
  /** Of a list: what each of its entries has to be, and how many there may be. */
  readonly each?: Wanted;
  readonly most?: number;
}

/** `field` as in the document (`credentials[0].key`), what was given instead, and what is wanted; never a value. */
export interface FieldProblem {
  field: string;
  message: string;
}

export const aText: Wanted = { is: 'a text', accepts: (value) => typeof value === 'string' };
export const aFilledText: Wanted = {
  is: 'a text that is not empty',
  accepts: (value) => typeof value === 'string' && value !== '',
};
/** Some providers number their messages, threads and accounts. */
export const anId: Wanted = {
  is: 'a text or a whole number',
  accepts: (value) => typeof value === 'string' || Number.isInteger(value),
};
const maxIdentifierChars = 200;
const showsNothing = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** What things are looked up by. Two that look alike must be one, and none may reorder what stands beside it. */
export const anIdentifier: Wanted = {
  is: `a text of 1 to ${maxIdentifierChars} characters that all show, without spaces at its ends`,
  accepts: (value) =>
    typeof value === 'string' &&
    value !== '' &&
    value === value.trim() &&
    value.length <= maxIdentifierChars &&
    !showsNothing.test(value),
};
const maxAddressChars = 2_048;
/** What is called or opened, as it is. Whether it must be https is up to whoever calls it. */
export const aWebAddress: Wanted = {
  is: `an http or https URL of at most ${maxAddressChars} characters, without user, password and fragment`,
  accepts: (value) => {
    const url = typeof value === 'string' && value.length <= maxAddressChars ? URL.parse(value) : null;
    return url !== null && /^https?:$/.test(url.protocol) && `${url.username}${url.password}${url.hash}` === '';
  },
};
/** Null: nobody can be answered. */
export const anAddress: Wanted = {
  is: 'a text, a whole number or null',
  accepts: (value) => value === null || anId.accepts(value),
};
export const trueOrFalse: Wanted = { is: 'true or false', accepts: (value) => typeof value === 'boolean' };
export const anObject: Wanted = { is: 'an object', accepts: isJsonObject };
export const anything: Wanted = { is: 'anything', accepts: () => true };

export function aWholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): Wanted {
  return {
    is: `a whole number of at least ${least}${most === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${most}`}`,
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most,
  };
}

export function oneOf(values: readonly string[]): Wanted {
  return { is: `one of ${values.join(', ')}`, accepts: (value) => values.some((known) => known === value) };
}

/** @param is what the list is, in words */
export function aListOf(each: Wanted, is: string, most = Number.MAX_SAFE_INTEGER): Wanted {
  const accepts = (value: unknown): boolean =>
    Array.isArray(value) && value.length <= most && value.every((entry: unknown) => each.accepts(entry));
  return { is, accepts, each, most };
}

/** An object whose values are all of one kind. */
export function anObjectOf(each: Wanted, is: string): Wanted {
  return { is, accepts: (value) => isJsonObject(value) && Object.values(value).every((entry) => each.accepts(entry)) };
}

/**
 * What is wrong with the fields of an object, one problem per field, and per entry of a list; other fields may be
 * anything.
 * @param optional checked only when present
 * @param at prefix of each field's name
 */
export function fieldProblems(
  of: JsonObject,
  required: Record<string, Wanted>,
  optional: Record<string, Wanted> = {},
  at = '',
): FieldProblem[] {
  const wrong = (wanted: Record<string, Wanted>, mayMiss: boolean): FieldProblem[] =>
    Object.entries(wanted).flatMap(([name, what]) => {
      const value = of[name];
      return mayMiss && value === undefined ? [] : problemsOf(`${at}${name}`, value, what);
    });
  return [...wrong(required, false), ...wrong(optional, true)];
}

const maxEntries = 20;

function problemsOf(field: string, value: unknown, { is, accepts, each, most = 0 }: Wanted): FieldProblem[] {
  if (accepts(value)) return [];
  if (!each || !Array.isArray(value)) return [{ field, message: `must be ${is}, not ${kindOf(value)}` }];
  if (value.length > most) return [{ field, message: `must be ${is}, not one of ${value.length}` }];
  return value.flatMap((entry, index) => problemsOf(`${field}[${index}]`, entry, each)).slice(0, maxEntries);
}

/** What a JSON value is, in words. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return value === '' ? 'an empty text' : 'a text';
  if (typeof value === 'number') return Number.isInteger(value) ? 'a whole number' : 'a number';
  return typeof value === 'boolean' ? String(value) : 'an object';
}
