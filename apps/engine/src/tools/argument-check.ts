import { compileSchema } from '#libs/tool-schema';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { createHash } from 'node:crypto';
import { argumentsProblem } from '../model/read-arguments.js';
import { fitArguments } from './fit-arguments.js';

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
  const said = detail === undefined ? '' : ` (${JSON.stringify(detail).slice(0, 300)})`;
  return `${instancePath || 'arguments'} ${message}${said}`;
}

function compile(schema: Record<string, unknown>): ValidateFunction | null {
  try {
    return compileSchema(schema);
  } catch {
    // A server's schema may be anything. A tool that cannot be checked is not called.
    return null;
  }
}
