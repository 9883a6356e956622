import { isJsonPointer } from '#libs/adapter-sdk';
import { type AnswerRule, patternProblem } from '#libs/answer-rules';
import { usageError } from '../api/cli-error.js';

export interface Case {
  name: string;
  /** Asked one after the other; the rules are for the last answer. A turn: its message, with its recorded results. */
  asks: ({ text: string } | { turn_id: string })[];
  rules: AnswerRule[];
  /** Why it can no longer be asked; absent: it can. */
  gone?: string;
}

/** @throws CliError 2 that names the case, the rule and what is wrong with it */
export function readCases(text: string, file: string): Case[] {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw usageError(`The file is not JSON: ${error instanceof Error ? error.message : String(error)}.`, file);
  }
  const cases = isRecord(given) ? given['cases'] : undefined;
  if (!Array.isArray(cases) || cases.length === 0)
    throw usageError('There is no list "cases" with a case in it.', file);
  return cases.map((one: unknown, index) => caseOf(one, `${file}: cases[${index}]`));
}

function caseOf(given: unknown, where: string): Case {
  if (!isRecord(given)) throw usageError('A case is an object with messages and rules.', where);
  const { name = where, messages, turn, rules } = given;
  if (typeof name !== 'string') throw usageError('"name" is a text.', where);
  if ((messages === undefined) === (turn === undefined)) throw usageError('A case has "messages" or "turn".', where);
  if (turn !== undefined && (typeof turn !== 'string' || turn === ''))
    throw usageError('"turn" is the id of a turn.', where);
  if (messages !== undefined && (!isTexts(messages) || messages.length === 0)) {
    throw usageError('"messages" is a list of texts, at least one.', where);
  }
  const asks = typeof turn === 'string' ? [{ turn_id: turn }] : (messages ?? []).map((text) => ({ text }));
  if (!Array.isArray(rules) || rules.length === 0) throw usageError('"rules" is a list with a rule in it.', where);
  return { name, asks, rules: rules.map((rule: unknown, index) => ruleOf(rule, `${where}.rules[${index}]`)) };
}

const kinds = ['contains', 'matches', 'forbids', 'pointer', 'calls'] as const;

function ruleOf(given: unknown, where: string): AnswerRule {
  const named = isRecord(given) ? kinds.filter((kind) => kind in given) : [];
  const [kind] = named;
  if (!isRecord(given) || kind === undefined || named.length > 1) {
    throw usageError(`A rule has exactly one of ${kinds.join(', ')}.`, where);
  }
  const other = Object.keys(given).find((key) => key !== kind && !(kind === 'pointer' && key === 'equals'));
  if (other !== undefined) throw usageError(`A rule "${kind}" takes no "${other}".`, where);
  const value = given[kind];
  if (kind === 'forbids' ? !isTexts(value) || value.length === 0 : typeof value !== 'string') {
    throw usageError(`"${kind}" is a ${kind === 'forbids' ? 'list of texts' : 'text'}.`, where);
  }
  const problem = kind === 'matches' ? patternProblem(String(value)) : null;
  if (problem !== null) throw usageError(`"matches" is no regular expression: ${problem}.`, where);
  if (kind === 'pointer' && !isJsonPointer(String(value)))
    throw usageError('"pointer" is a JSON Pointer such as /total.', where);
  if (kind === 'pointer' && !('equals' in given)) throw usageError('"pointer" needs "equals".', where);
  return { [kind]: value, ...(kind === 'pointer' ? { equals: given['equals'] } : {}) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '');
}
