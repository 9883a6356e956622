import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RE2JS } from 're2js';

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
  // An object has no `toString` of its own until somebody gives it one.
  ownProperties: true,
  // The name is for code that Ajv writes to files, which is not used.
  code: { regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
} as const;

/**
 * A check by the JSON Schema of a tool's arguments or results: draft 2020-12, or what `$schema` says. Nothing is
 * fetched. Patterns are bounded in time.
 * @throws Error for an invalid schema, or one that refers to another document
 */
export function compileSchema(schema: Record<string, unknown>): ValidateFunction {
  const { $schema: dialect, $id: _id, ...rest } = schema;
  const older = typeof dialect === 'string' && /draft-0[4-7]/.test(dialect);
  return (older ? new Ajv(options) : new Ajv2020(options)).compile(rest);
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
  const pattern = new RegExp(source, 'u');
  const program = source.length > maxPatternChars ? null : programOf(pattern);
  return {
    test: (text) => program === null || text.length > maxTextChars || program.test(text),
    toString: () => String(pattern),
  };
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
