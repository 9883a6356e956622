import { isExpression, type WaitReads } from '#libs/contracts';
import { type ASTNode, type Environment, type ParseError, serialize } from '@marcbachmann/cel-js';
import {
  childrenOf,
  failureOf,
  type FilterInput,
  type FilterProblem,
  filterSyntaxError,
  forbiddenPart,
  isNode,
  maxChars,
} from './filter.js';
import { environment } from './language.js';

/** What an expression of a workflow's step may read: the message, and what earlier steps gave, by their names. */
export interface StepInput extends Pick<FilterInput, 'event' | 'metadata'> {
  steps: Record<string, Record<string, unknown>>;
}

/** Why an expression has no value. The message is for the author. */
export class StepExpressionError extends Error {
  override readonly name = 'StepExpressionError';
}

/**
 * What the condition of a wait may read: the event that arrives, the message that began the run (`run`), and what its
 * earlier steps gave.
 */
export interface WaitInput extends Pick<FilterInput, 'event' | 'metadata' | 'request'>, WaitReads {}

export interface StepExpression<Input = StepInput> {
  /** Steps that it reads. */
  reads: Set<string>;
  /** The value, as JSON has it. @throws StepExpressionError */
  evaluate(input: Input): unknown;
}

type Compiled<Input> = { expression: StepExpression<Input> } | { problem: FilterProblem };

/** Where an expression stands: which variables it has, and which of those that filters have it has not. */
interface Place {
  variables: Environment;
  unread: readonly string[];
  known: string;
}

const ofSteps: Place = {
  variables: environment.clone().registerVariable('steps', 'map<string, dyn>'),
  unread: ['contact', 'request'],
  known: 'steps: they read event, metadata and steps.',
};
const ofWaits: Place = {
  variables: ofSteps.variables
    .clone()
    .registerVariable({ name: 'run', schema: { event: 'map<string, dyn>', metadata: 'map<string, dyn>' } }),
  unread: ['contact'],
  known: 'waits: they read event, metadata and request of what arrives, and run and steps.',
};

/** Checks an expression and compiles it. @param wanted `bool`: it has to be true or false */
export function compileStepExpression(text: string, wanted: 'bool' | 'any'): Compiled<StepInput> {
  return compiledFor(ofSteps, text, wanted);
}

/** Checks the condition of a wait and compiles it. */
export function compileWaitCondition(text: string): Compiled<WaitInput> {
  return compiledFor(ofWaits, text, 'bool');
}

function compiledFor<Input extends object>(place: Place, text: string, wanted: 'bool' | 'any'): Compiled<Input> {
  const { variables } = place;
  const whole = { start: 0, end: text.length };
  if (text.length > maxChars) return { problem: { message: `It has over ${maxChars} characters.`, ...whole } };
  const checked = variables.check(text);
  if (!checked.valid) return { problem: filterSyntaxError(checked.error as ParseError, text) };
  const { ast } = variables.parse(text);
  const reads = new Set<string>();
  const problem = forbiddenPart(ast) ?? unfit(place, ast, reads);
  if (problem) return { problem };
  if (wanted === 'bool' && checked.type !== 'bool' && checked.type !== 'dyn')
    return { problem: { message: `The expression is of type ${checked.type}, not bool.`, ...whole } };
  const run = variables.parse(text);
  return {
    expression: {
      reads,
      evaluate: (input) => {
        try {
          return plain(run({ ...input }));
        } catch (error) {
          throw new StepExpressionError(failureOf(error, text), { cause: error });
        }
      },
    },
  };
}

/** Collects the steps that an expression reads. They are named in it, so that it is known before which step it can stand. */
function unfit(place: Place, node: ASTNode, reads: Set<string>): FilterProblem | null {
  const { op, args, start, end } = node;
  if (op === 'id' && place.unread.includes(String(args)))
    return { message: `${String(args)} is not known to ${place.known}`, start, end };
  if (op === 'id' && args === 'steps')
    return { message: 'Name the step: steps.<name>, or steps["<name>"].', start, end };
  if (op === '.' || op === '[]') {
    const [of, key] = args as [ASTNode, ASTNode | string];
    const name = isNode(key) ? (key.op === 'value' ? key.args : null) : key;
    if (serialize(of) === 'steps' && typeof name === 'string') {
      reads.add(name);
      return null;
    }
  }
  for (const child of childrenOf(args)) {
    const found = unfit(place, child, reads);
    if (found) return found;
  }
  return null;
}

/** Whole numbers are bigints in an expression, and lengths are. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, each]) => [String(key), plain(each)]));
  if (typeof value !== 'object' || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null)
    throw new StepExpressionError(`its value is no JSON`);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

/** The value of an expression. @throws StepExpressionError */
export function valueOf(cel: string, wanted: 'bool' | 'any', input: StepInput): unknown {
  const compiled = compileStepExpression(cel, wanted);
  if ('problem' in compiled) throw new StepExpressionError(compiled.problem.message);
  return compiled.expression.evaluate(input);
}

/** The arguments of a call, with the values of the expressions in them. @throws StepExpressionError */
export function filledWith(value: unknown, input: StepInput): unknown {
  if (isExpression(value)) return valueOf(value.cel, 'any', input);
  if (Array.isArray(value)) return value.map((each) => filledWith(each, input));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filledWith(each, input)]));
}

/** The expressions in the arguments of a call. @param path of the arguments */
export function* expressionsIn(value: unknown, path: string): Generator<[path: string, cel: string]> {
  if (isExpression(value)) yield [path, value.cel];
  else if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value)) yield* expressionsIn(each, `${path}.${key}`);
}

/** The steps that the expressions in the arguments of a call read; null: it has no expressions. */
export function stepsReadBy(value: unknown): Set<string> | null {
  const found = [...expressionsIn(value, '')].map(([, cel]) => compileStepExpression(cel, 'any'));
  if (found.length === 0) return null;
  return new Set(found.flatMap((each) => ('problem' in each ? [] : [...each.expression.reads])));
}

/** What the condition of a wait reads of its run: no more of it is kept. @param where null: there is none */
export function waitReadsOf(where: string | null, { event, metadata, steps }: StepInput): WaitReads {
  const none = { run: { event: {}, metadata: {} }, steps: {} };
  const compiled = where === null ? null : compileWaitCondition(where);
  if (compiled === null || 'problem' in compiled) return none;
  const { reads } = compiled.expression;
  return {
    run: /\brun\b/.test(where ?? '') ? { event, metadata } : none.run,
    steps: Object.fromEntries(Object.entries(steps).filter(([name]) => reads.has(name))),
  };
}
