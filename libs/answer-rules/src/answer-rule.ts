import { jsonPointerGet } from '#libs/adapter-sdk';
import { isDeepStrictEqual } from 'node:util';
import { RE2JS } from 're2js';

/** What an answer is checked for: exactly one of these. */
export interface AnswerRule {
  /** Words that the answer has, ignoring case. */
  contains?: string;
  /** A regular expression that a part of the answer matches, ignoring case. RE2: it takes linear time. */
  matches?: string;
  /** Words that the answer has none of, ignoring case. */
  forbids?: string[];
  /** A JSON Pointer (RFC 6901) into the answer, which is JSON; with `equals`. */
  pointer?: string;
  equals?: unknown;
  /** A tool that was called in the turn. */
  calls?: string;
}

/** @returns what is wrong with a regular expression, in words; null: nothing */
export function patternProblem(text: string): string | null {
  try {
    expression(text);
    return null;
  } catch (error) {
    if (error instanceof Error && error.name.startsWith('RE2JS')) return error.message;
    throw error;
  }
}

/** @param called tools of the turn @returns what is wrong with the answer, in words; null: it holds to the rule */
export function problemOf(rule: AnswerRule, answer: string, called: readonly string[]): string | null {
  const lowered = answer.toLowerCase();
  if (rule.contains !== undefined) {
    return lowered.includes(rule.contains.toLowerCase()) ? null : `does not contain ${JSON.stringify(rule.contains)}`;
  }
  if (rule.matches !== undefined) {
    return expression(rule.matches).matcher(answer).find() ? null : `does not match ${rule.matches}`;
  }
  if (rule.forbids !== undefined) {
    const word = rule.forbids.find((each) => lowered.includes(each.toLowerCase()));
    return word === undefined ? null : `contains ${JSON.stringify(word)}`;
  }
  if (rule.calls !== undefined) return called.includes(rule.calls) ? null : `did not call ${rule.calls}`;
  return pointerProblem(rule.pointer ?? '', rule.equals, answer);
}

function expression(text: string): RE2JS {
  return RE2JS.compile(RE2JS.translateRegExp(text), RE2JS.CASE_INSENSITIVE);
}

function pointerProblem(pointer: string, expected: unknown, answer: string): string | null {
  let value: unknown;
  try {
    value = jsonPointerGet(JSON.parse(answer), pointer);
  } catch {
    return 'is not JSON';
  }
  if (isDeepStrictEqual(value, expected)) return null;
  return `has ${JSON.stringify(value) ?? 'nothing'} at ${pointer || 'its root'}, not ${JSON.stringify(expected)}`;
}
