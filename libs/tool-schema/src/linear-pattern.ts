import { RE2JS } from 're2js';

/** A longer pattern is not run: reading one takes time by its square. */
const maxPatternChars = 1_000;
/** A larger program is not run, nor any over a longer text: both together are what a check may cost. */
const maxInstructions = 2_000;
const maxTextChars = 10_000;

/** As Ajv takes it: two patterns are told apart by their `toString`. */
interface Pattern {
  test(text: string): boolean;
  toString(): string;
}

/**
 * A pattern of a JSON Schema, run by RE2 in time that grows with the text alone: Node's own engine backtracks, and whoever
 * writes a tool's schema could stop this process with it. What RE2 does not know (look-around, back-references) or what is
 * too large holds for every text: the tool itself has to check that.
 * @throws SyntaxError for what is no pattern of ECMA-262
 */
export function linearPattern(source: string): Pattern {
  // Only read, never run.
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
