import { deliverFailure, type DeliverError, type DeliverErrorDetail, type DeliverFailure } from './delivery.js';

/** What is wrong about a template: a message that its provider has to approve before it may be sent. */
export type TemplateProblem = 'required' | 'unknown' | 'parameters' | 'paused' | 'text';

const PROBLEMS: Record<TemplateProblem, { error: DeliverError; words: string }> = {
  required: {
    error: 'permission_denied',
    words: 'the person has not written lately: until they do, only an approved template can be sent',
  },
  unknown: {
    error: 'invalid_format',
    words: 'there is no such template in this language, or it is not approved: correct its name or language',
  },
  parameters: {
    error: 'invalid_format',
    words: 'the template has other parameters: give as many, and of the kinds, as it was approved with',
  },
  paused: {
    error: 'permission_denied',
    words: 'the provider has paused or disabled the template: choose another one, or have it approved again',
  },
  text: {
    error: 'invalid_format',
    words: 'the text that the template makes is refused: shorten its parameters, without new lines',
  },
};

/** The failure of a delivery because of its template, or because it has none. It is final: words say what to do. */
export function templateFailure(
  problem: TemplateProblem,
  detail: Partial<Omit<DeliverErrorDetail, 'message'>> & { says?: string } = {},
): DeliverFailure {
  const { error, words } = PROBLEMS[problem];
  const { says = words, ...rest } = detail;
  return deliverFailure(error, says, { ...rest, retryable: false });
}
