import { type ASTNode, EvaluationError, type ParseError, serialize } from '@marcbachmann/cel-js';
import type { RequestFacts } from '#libs/contracts';
import { environment, inWords } from './language.js';

/**
 * What an expression may read. Only what is listed here or is in the metadata itself exists: no inherited properties.
 */
export interface FilterInput {
  event: {
    type: string;
    sender: string;
    message: string;
    thread_id: string;
    is_dm: boolean;
    verified: boolean;
  };
  contact: { id: string; name: string; status: string };
  metadata: Record<string, unknown>;
  /** Of the webhook; empty for a message that came by none. */
  request: RequestFacts;
}

export type FilterResult =
  | { result: 'passed' }
  /** `clause` is the part that was false, `seen` the value that it compared. */
  | { result: 'filtered'; clause: string; seen: string | null }
  | { result: 'error'; reason: string };

/** Why and where an expression cannot be saved. Positions are characters from 0. */
export interface FilterProblem {
  message: string;
  start: number;
  end: number;
}

/** One of the parts that all have to be true. */
export interface ClauseResult {
  clause: string;
  result: 'true' | 'false' | 'error';
  /** The value that it compared, or why it failed. */
  seen: string | null;
}

export interface Filter {
  /** @param explained false when nobody reads what a clause saw: that costs as much as deciding */
  evaluate(input: FilterInput, explained?: boolean): FilterResult;
  /** Every clause on its own, for the author of the filter. */
  explain(input: FilterInput): ClauseResult[];
}

interface Clause {
  text: string;
  run: (input: FilterInput) => unknown;
  /** The value that the clause is about, if it has one. */
  subject: { text: string; run: (input: FilterInput) => unknown } | null;
}

export const maxChars = 2_000;
/** CPU time. */
const maxMs = 20;
const maxSeenChars = 120;
const loops = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/** Checks an expression (CEL, https://cel.dev) and compiles it. */
export function compileFilter(expression: string): { filter: Filter } | { problem: FilterProblem } {
  if (expression.length > maxChars) {
    return {
      problem: {
        message: `An expression has at most ${maxChars} characters.`,
        start: maxChars,
        end: expression.length,
      },
    };
  }
  const checked = environment.check(expression);
  if (!checked.valid) return { problem: filterSyntaxError(checked.error as ParseError, expression) };
  const { ast } = environment.parse(expression);
  const forbidden = forbiddenPart(ast);
  if (forbidden) return { problem: forbidden };
  if (checked.type !== 'bool' && checked.type !== 'dyn') {
    return {
      problem: { message: `The expression is of type ${checked.type}, not bool.`, start: 0, end: expression.length },
    };
  }
  const clauses = conjuncts(ast).map(clauseOf);
  return {
    filter: {
      evaluate: (input, explained = true) => evaluate(clauses, input, explained),
      explain: (input) => explain(clauses, input),
    },
  };
}

/**
 * A part that could take unbounded time: `matches` runs a backtracking regular expression, and a nested loop multiplies
 * the size of the sender's data by itself.
 */
export function forbiddenPart(node: ASTNode, inLoop = false): FilterProblem | null {
  const { start, end } = node;
  const name = node.op === 'rcall' || node.op === 'call' ? String((node.args as [string, ...unknown[]])[0]) : '';
  if (name === 'matches') {
    return { message: 'matches() is not available: use contains(), startsWith() or endsWith().', start, end };
  }
  const header = upperCaseHeader(node);
  if (header !== null) {
    const written = JSON.stringify(header.toLowerCase());
    return { message: `Names of headers are in lower case here: write ${written}.`, start, end };
  }
  const number = unknownNumber(node);
  if (number !== null) return { message: number, start, end };
  const isLoop = node.op === 'rcall' && loops.has(name);
  if (isLoop && inLoop)
    return { message: `${name}() is nested in another loop: only one level is allowed.`, start, end };
  for (const child of childrenOf(node.args)) {
    const found = forbiddenPart(child, inLoop || isLoop);
    if (found) return found;
  }
  return null;
}

/** A header's name that is never found: `request.headers["X-Event"]`, or `"X-Event" in request.headers`. */
function upperCaseHeader({ op, args }: ASTNode): string | null {
  if (op !== '.' && op !== '[]' && op !== 'in') return null;
  const [first, second] = args as [ASTNode, ASTNode | string];
  const [map, name] = op === 'in' ? [second, first] : [first, second];
  if (!isNode(map) || serialize(map) !== 'request.headers') return null;
  const literal = isNode(name) ? (name.op === 'value' ? name.args : null) : name;
  return typeof literal === 'string' && literal !== literal.toLowerCase() ? literal : null;
}

/**
 * Numbers that a message never has: a whole number of this size comes as a text, so that it keeps its digits, and `in`
 * does not find one that is written as unsigned.
 */
function unknownNumber({ op, args }: ASTNode): string | null {
  if (op === 'value' && typeof args === 'bigint' && !Number.isSafeInteger(Number(args)))
    return `A whole number of this size comes as a text: write "${args}".`;
  if (op !== 'in') return null;
  const [left] = args as [ASTNode, ASTNode];
  const unsigned = left.op === 'value' && typeof left.args === 'object' && left.args !== null;
  return unsigned && /^\d+u$/i.test(serialize(left))
    ? `in finds no number that ends with u: write ${serialize(left).slice(0, -1)}.`
    : null;
}

export function filterSyntaxError(error: ParseError, expression: string): FilterProblem {
  const { start, end } = error.range ?? { start: 0, end: expression.length };
  return { message: inWords(error.summary, expression.slice(start, end), expression.slice(0, start)), start, end };
}

export function childrenOf(value: unknown): ASTNode[] {
  if (Array.isArray(value)) return value.flatMap(childrenOf);
  return isNode(value) ? [value] : [];
}

export function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

/** True once a filter's time is over. */
type Deadline = () => boolean;

function byClock(): Deadline {
  const startMs = performance.now();
  return () => performance.now() - startMs > maxMs;
}

function byProcessor(): Deadline {
  const start = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1_000 > maxMs;
  };
}

/** Load must not decide what becomes of a message: a filter that is late by the clock is retried by CPU time. */
function evaluate(clauses: Clause[], input: FilterInput, explained: boolean): FilterResult {
  return (
    decide(clauses, input, explained, byClock()) ??
    decide(clauses, input, explained, byProcessor()) ?? { result: 'error', reason: `the filter took over ${maxMs} ms` }
  );
}

/** As CEL's `&&`: one false clause decides, even when another one fails. @returns null when its time is over */
function decide(clauses: Clause[], input: FilterInput, explained: boolean, isOver: Deadline): FilterResult | null {
  let failure: string | null = null;
  for (const clause of clauses) {
    try {
      const value = clause.run(input);
      if (value === false) {
        return { result: 'filtered', clause: clause.text, seen: explained ? seenBy(clause, input) : null };
      }
      if (value !== true) failure ??= `${clause.text} is ${shown(value)}, neither true nor false`;
    } catch (error) {
      failure ??= `${clause.text}: ${failureOf(error, clause.text)}${explained ? seenAt(clause, input, error) : ''}`;
    }
    if (isOver()) return null;
  }
  return failure === null ? { result: 'passed' } : { result: 'error', reason: failure };
}

function explain(clauses: Clause[], input: FilterInput): ClauseResult[] {
  const isOver = byProcessor();
  return clauses.map((clause): ClauseResult => {
    const common = { clause: clause.text };
    if (isOver()) return { ...common, result: 'error', seen: `over ${maxMs} ms` };
    try {
      const value = clause.run(input);
      if (typeof value !== 'boolean') return { ...common, result: 'error', seen: `it is ${shown(value)}` };
      return { ...common, result: value ? 'true' : 'false', seen: seenBy(clause, input) };
    } catch (error) {
      return { ...common, result: 'error', seen: `${failureOf(error, clause.text)}${seenAt(clause, input, error)}` };
    }
  });
}

function conjuncts(node: ASTNode): ASTNode[] {
  return node.op === '&&' ? (node.args as [ASTNode, ASTNode]).flatMap(conjuncts) : [node];
}

function clauseOf(node: ASTNode): Clause {
  const text = serialize(node);
  const about = subjectOf(node);
  const subject = about ? serialize(about) : null;
  return {
    text,
    run: environment.parse(text) as Clause['run'],
    subject: subject === null ? null : { text: subject, run: environment.parse(subject) as Clause['run'] },
  };
}

/** `event.sender` in `event.sender == "x"`, `metadata.tags` in `metadata.tags.exists(...)`; never a bound variable. */
function subjectOf(node: ASTNode): ASTNode | null {
  if (node.op === '.' || node.op === '[]') return node;
  if (node.op === '!_') return subjectOf(node.args as ASTNode);
  if (node.op === 'rcall') return subjectOf((node.args as [string, ASTNode, ASTNode[]])[1]);
  if (!['==', '!=', '<', '<=', '>', '>=', 'in'].includes(node.op)) return null;
  const [left, right] = node.args as [ASTNode, ASTNode];
  return subjectOf(left) ?? subjectOf(right);
}

function seenBy({ subject }: Clause, input: FilterInput): string | null {
  if (!subject) return null;
  try {
    return `${subject.text} is ${shown(subject.run(input))}`;
  } catch (error) {
    return `${subject.text}: ${failureOf(error, subject.text)}`;
  }
}

export function failureOf(error: unknown, text: string): string {
  if (!(error instanceof EvaluationError)) return String(error);
  const { start, end } = error.range ?? { start: 0, end: text.length };
  return inWords(error.summary, text.slice(start, end), text.slice(0, start));
}

/** The value that an operator could not use; a missing one is named by the failure itself. */
function seenAt(clause: Clause, input: FilterInput, error: unknown): string {
  const unfit = error instanceof EvaluationError && error.code !== 'no_such_key';
  const seen = unfit ? seenBy(clause, input) : null;
  return seen === null ? '' : ` (${seen})`;
}

function shown(value: unknown): string {
  const text = typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > maxSeenChars ? `${text.slice(0, maxSeenChars)}…` : text;
}
