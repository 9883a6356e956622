import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from '../json-value.js';
import type { Answer } from './adapter-calls.js';

/** An expectation did not hold. `request` is the call that showed it. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed';

  constructor(
    readonly request: string,
    readonly expected: string,
    readonly got: string,
  ) {
    super(`${expected}; got ${got}`);
  }
}

/** A fixture that the check needs is missing. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** The adapter does not offer what the check is about. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}

/** The value, or the check is skipped: `what` names the fixture, such as `credentials.good`. */
export function need<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Skipped(`the fixtures have no ${what}`);
  return value;
}

/** Fails the check unless it holds; `got` defaults to the whole answer. */
export function expectThat(holds: boolean, answer: Answer, expected: string, got?: unknown): asserts holds {
  if (!holds) throw new CheckFailed(answer.request, expected, got === undefined ? shown(answer) : JSON.stringify(got));
}

/** The JSON object of a 200 answer. */
export function answered(answer: Answer): JsonObject {
  expectThat(answer.status === 200, answer, 'HTTP 200');
  expectThat(answer.json !== undefined, answer, 'a JSON object with Content-Type: application/json');
  return answer.json;
}

/** Whatever the adapter says about the call, it answered JSON and reported no defect of its own. */
export function survived(answer: Answer): void {
  expectThat(answer.status < 500, answer, 'no HTTP 5xx');
  expectThat(answer.json !== undefined, answer, 'a JSON object with Content-Type: application/json');
}

/** Whether `actual` has everything that `expected` names: objects field by field, anything else exactly. */
export function includes(actual: unknown, expected: unknown): boolean {
  if (!isJsonObject(expected)) return isDeepStrictEqual(actual, expected);
  return isJsonObject(actual) && Object.entries(expected).every(([field, value]) => includes(actual[field], value));
}

function shown({ status, contentType, text }: Answer): string {
  return `HTTP ${status} ${contentType === '' ? '(no content type)' : contentType} ${text}`;
}
