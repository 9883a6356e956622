import type { ErrorObject, ValidateFunction } from 'ajv';

type Json = Record<string, unknown>;

/** More values than these are not changed in one call. */
const maxChanges = 50;

/**
 * Models write numbers as text, lists as JSON text, and null for what they leave out. Where the schema refuses such a
 * value and another form of the same value is right, it is taken in that form. Nothing is guessed: no rounding, no
 * defaults, no value that could mean two things.
 * @returns the arguments as given if they do not become valid as a whole, so that the model is told of what it wrote
 */
export function fitArguments(check: ValidateFunction, given: Json): Json {
  if (check(given)) return given;
  const fitting = structuredClone(given);
  const changed = new Set<string>();
  while (changed.size < maxChanges) {
    const error = (check.errors ?? []).find((each) => !changed.has(each.instancePath) && change(fitting, each));
    if (error === undefined) return given;
    changed.add(error.instancePath);
    if (check(fitting)) return fitting;
  }
  return given;
}

/** @returns whether the value that an error is about could be given another form */
function change(args: Json, { instancePath, keyword, params }: ErrorObject): boolean {
  const path = instancePath.split('/').slice(1).map(unescaped);
  const key = path.pop();
  if (key === undefined) return false;
  const parent = path.reduce<unknown>((value, each) => childOf(value, each), args);
  if (typeof parent !== 'object' || parent === null) return false;
  const holder = parent as Json;
  const value = holder[key];
  // A value that is left out and null mean the same. If it is required, the arguments stay invalid.
  if (value === null && !Array.isArray(parent)) return delete holder[key];
  const { type, allowedValues, allowedValue } = params as {
    type?: unknown;
    allowedValues?: unknown;
    allowedValue?: unknown;
  };
  const wanted: unknown[] = keyword === 'enum' || keyword === 'const' ? [allowedValues ?? [allowedValue]].flat() : [];
  const types: unknown[] = keyword === 'type' ? [type].flat() : wanted.map(typeOf);
  const found = types.map((each) => inType(value, each)).find((each) => each !== undefined);
  if (found === undefined || (wanted.length > 0 && !wanted.includes(found))) return false;
  holder[key] = found;
  return true;
}

function childOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Json)[key] : undefined;
}

/** @returns the same value in a JSON Schema type; undefined if it has no such form */
function inType(value: unknown, type: unknown): unknown {
  if (typeof value === 'number') return type === 'string' && isExact(value) ? String(value) : undefined;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (type === 'boolean') return { true: true, false: false }[text.toLowerCase()];
  if (type === 'null') return text === 'null' ? null : undefined;
  if (type !== 'number' && type !== 'integer' && type !== 'object' && type !== 'array') return undefined;
  const read = parsed(text);
  if (type === 'number' || type === 'integer') return typeof read === 'number' && isExact(read) ? read : undefined;
  return typeOf(read) === type ? read : undefined;
}

/** Whether no digit of a number was lost when it was read. */
function isExact(number: number): boolean {
  return Number.isFinite(number) && Math.abs(number) <= Number.MAX_SAFE_INTEGER;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return value === null ? 'null' : typeof value;
}

/** A part of a JSON Pointer (RFC 6901). */
function unescaped(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}
