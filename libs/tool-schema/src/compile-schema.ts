import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';
import { referenceLoop } from './reference-loop.js';
import type { Schema } from './schema-parts.js';

const ownName = 'urn:gatehouse:schema';

/** A longer pattern is not run: parsing one takes quadratic time. */
const maxPatternChars = 1_000;
/** A larger program is not run, nor any program over a longer text: together these bound the cost of a check. */
const maxInstructions = 2_000;
const maxTextChars = 10_000;

const options = {
  strict: false,
  validateFormats: false,
  logger: false,
  addUsedSchema: false,
  // A few definitions that name each other twice would become a function of any size.
  inlineRefs: false,
  // An object has no `toString` of its own until somebody gives it one.
  ownProperties: true,
  // The name is for code that Ajv writes to files, which is not used.
  // Optimising the code takes three times as long as making it, and grows with the square of the properties.
  code: { regExp: Object.assign(linearPattern, { code: 'linearPattern' }), optimize: false },
} as const;

/**
 * A check by the JSON Schema of a tool's arguments or results: draft 2020-12, or what `$schema` says. Nothing is
 * fetched. Patterns are bounded in time. A schema may contain itself.
 * @param allErrors whether the check names everything that is wrong, not only the first thing
 * @throws Error for an invalid schema, one that refers to another document or to nothing, or one without end
 */
export function compileSchema(schema: Record<string, unknown>, allErrors = false): ValidateFunction {
  const { $schema: dialect, $id: id, ...rest } = withRootNames(schema);
  // Without an id, Ajv does not resolve a reference to the whole schema.
  const named = { ...rest, $id: idOf(id) };
  const loop = referenceLoop(named);
  if (loop !== null) throw new Error(`the reference ${loop.ref.slice(0, 200)} leads back to itself without end`);
  return ajvFor(typeof dialect === 'string' ? dialect : '', allErrors).compile(named);
}

/** The same schema, in which each reference to the whole of it is `#`. */
export function withRootNames(schema: Schema): Schema {
  const { $id: id, $anchor: anchor } = schema;
  return toRoot(schema, rootNames(idOf(id), anchor)) as Schema;
}

/** Whether a text is a pattern that a schema may have. */
export function isPattern(source: string): boolean {
  return parsed(source) !== null;
}

/** Other ways to write `#`, which Ajv does not resolve in the schema that it compiles. */
function rootNames(id: string, anchor: unknown): (ref: string) => boolean {
  return (ref) => ref === id || ref === `#${String(anchor)}` || (URL.canParse(ref, id) && new URL(ref, id).href === id);
}

function toRoot(value: unknown, isRoot: (ref: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => toRoot(each, isRoot));
  if (typeof value !== 'object' || value === null) return value;
  // A check of an asynchronous schema (Ajv's own) would return a promise, which is always true.
  const entries = Object.entries(value).filter(([key, each]) => key !== '$async' || typeof each === 'object');
  return Object.fromEntries(
    entries.map(([key, each]) => {
      return [key, key === '$ref' && typeof each === 'string' && isRoot(each) ? '#' : toRoot(each, isRoot)];
    }),
  );
}

/** @param allErrors whether its check of a schema names everything that is wrong */
export function ajvFor(dialect: string, allErrors = false): Ajv | Ajv2019 | Ajv2020 {
  const how = { ...options, allErrors };
  if (/draft-0[4-7]/.test(dialect)) return new Ajv(how);
  return dialect.includes('2019-09') ? new Ajv2019(how) : new Ajv2020(how);
}

/** An address without a fragment. Others are of older dialects, where references do not need them. */
function idOf(given: unknown): string {
  const id = typeof given === 'string' ? given.replace(/#$/, '') : '';
  return id !== '' && id.length <= 500 && !id.includes('#') && !/json-schema\.org/.test(id) ? id : ownName;
}

/** The form that Ajv needs: it distinguishes patterns by their `toString`. */
interface Pattern {
  test(text: string): boolean;
  toString(): string;
}

/**
 * A pattern of a JSON Schema, run by RE2 in time that grows only with the text. Node's own engine backtracks, so the
 * author of a tool's schema could stop this process. A pattern that RE2 does not support (look-around, back-references)
 * or that is too large accepts every text: the tool itself has to check it.
 * @throws SyntaxError for an invalid ECMA-262 pattern
 */
function linearPattern(source: string): Pattern {
  // Only parsed, never run.
  const pattern = parsed(source) ?? new RegExp(source, 'u');
  const program = source.length > maxPatternChars ? null : programOf(pattern);
  return {
    test: (text) => program === null || text.length > maxTextChars || program.test(text),
    toString: () => String(pattern),
  };
}

/** Escapes that only the older form of patterns has (`\\-`) are common. */
function parsed(source: string): RegExp | null {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return null;
}

function programOf(pattern: RegExp): RE2JS | null {
  try {
    const program = RE2JS.compile(RE2JS.translateRegExp(pattern.source));
    return program.programSize() > maxInstructions ? null : program;
  } catch (error) {
    if (error instanceof Error && error.name.startsWith('RE2JS')) return null;
    throw error;
  }
}
