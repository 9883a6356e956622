import { compileSchema } from '#libs/tool-schema';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { createHash } from 'node:crypto';
import { argumentsProblem } from '../model/read-arguments.js';

const maxKept = 2_000;

/** Checks arguments against tools' schemas. Each schema is compiled once per process. */
export class ArgumentCheck {
  private readonly compiled = new Map<string, ValidateFunction | null>();

  /** False when the schema cannot be compiled; its tool is then not offered. */
  isUsable(schema: Record<string, unknown>): boolean {
    return this.checkOf(schema) !== null;
  }

  /** Arguments in the types that the schema asks for, where each value says clearly what it is; else as they are. */
  fitted(schema: Record<string, unknown>, args: unknown): unknown {
    const check = this.checkOf(schema);
    return check && isObject(args) ? fitArguments(check, args) : args;
  }

  /** @returns a sentence that says what is wrong with the arguments; null when they are valid */
  problem(schema: Record<string, unknown>, args: unknown): string | null {
    if (typeof args === 'string') return argumentsProblem(args);
    if (!isObject(args)) return 'The arguments are not a JSON object.';
    const check = this.checkOf(schema);
    if (!check) return 'The schema of this tool cannot be used.';
    if (check(args)) return null;
    const what = (check.errors ?? []).slice(0, 3);
    const long = what.some(
      (error) => wantsNumber(error) && /^-?\d{16,}$/.test(String(valueAt(args, error.instancePath))),
    );
    return `${what.map(wordsOf).join('; ')}.${long ? ' A number of more than 15 digits would lose some of them here.' : ''}`;
  }

  private checkOf(schema: Record<string, unknown>): ValidateFunction | null {
    const key = createHash('sha256').update(JSON.stringify(schema)).digest('base64');
    const known = this.compiled.get(key);
    if (known !== undefined) return known;
    if (this.compiled.size >= maxKept) this.compiled.clear();
    const check = compile(schema);
    this.compiled.set(key, check);
    return check;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wantsNumber({ keyword, params }: ErrorObject): boolean {
  const { type } = params as Record<string, unknown>;
  return keyword === 'type' && [type].flat().some((each) => each === 'integer' || each === 'number');
}

function valueAt(args: unknown, pointer: string): unknown {
  const path = pointer.split('/').slice(1);
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], args);
}

/** Ajv's message, with what it leaves out: the allowed values, the property that is too many. */
function wordsOf({ instancePath, message, params }: ErrorObject): string {
  const { allowedValues, allowedValue, additionalProperty } = params as Record<string, unknown>;
  const detail = allowedValues ?? allowedValue ?? additionalProperty;
  const named = detail === undefined ? '' : ` (${JSON.stringify(detail).slice(0, 300)})`;
  return `${instancePath || 'arguments'} ${message}${named}`;
}

function compile(schema: Record<string, unknown>): ValidateFunction | null {
  try {
    return compileSchema(schema);
  } catch {
    // A server's schema may be anything. A tool that cannot be checked is not called.
    return null;
  }
}

type Json = Record<string, unknown>;

/** More values than these are not changed in one call. */
const maxChanges = 50;

/**
 * Models write numbers as text, lists as JSON text, and null for what they leave out. Where the schema refuses such a
 * value and another form of the same value is right, it is taken in that form. Nothing is guessed: no rounding, no
 * defaults, no value that could mean two things.
 * @returns the arguments as given if they do not become valid as a whole, so that the model is informed of what it wrote
 */
function fitArguments(check: ValidateFunction, given: Json): Json {
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
