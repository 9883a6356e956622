import { Problem } from '#libs/service-kit';
import { timeOf } from '../events/event-filter.js';
import { type StatisticsQuery, type Step } from './statistics.dto.js';

export interface Span {
  from: Date;
  to: Date;
  step: Step;
  stepMs: number;
}

export const stepLengthsMs: Readonly<Record<Step, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };
const defaultSpanMs = 3_600_000;
const maxSteps = 1_500;

/**
 * The span of a query, in whole steps: a part of a step would be shown as all of it.
 * @param minuteDays how long minutes are kept
 * @throws Problem 422 `invalid_fields`, `too_many_steps`, `step_too_fine`
 */
export function spanOf(query: StatisticsQuery, nowMs: number, minuteDays: number): Span {
  const to = timeOf('to', query.to) ?? new Date(nowMs);
  const from = timeOf('from', query.from) ?? new Date(to.getTime() - defaultSpanMs);
  if (from >= to) {
    throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', [
      { field: 'from', message: 'must be before to' },
    ]);
  }
  const oldestMinuteMs = nowMs - minuteDays * stepLengthsMs.day;
  const step = query.step ?? stepFor(to.getTime() - from.getTime(), from.getTime() < oldestMinuteMs);
  const stepMs = stepLengthsMs[step];
  if (step === 'minute' && from.getTime() < oldestMinuteMs) {
    throw new Problem(422, 'step_too_fine', `Minutes are kept for ${minuteDays} days: use hours for earlier times.`);
  }
  const wholeFrom = new Date(Math.floor(from.getTime() / stepMs) * stepMs);
  const wholeTo = new Date(Math.ceil(to.getTime() / stepMs) * stepMs);
  if ((wholeTo.getTime() - wholeFrom.getTime()) / stepMs > maxSteps) {
    const detail = `The span has over ${maxSteps} steps (step: ${step}): use a longer step or a shorter span.`;
    throw new Problem(422, 'too_many_steps', detail);
  }
  return { from: wholeFrom, to: wholeTo, step, stepMs };
}

/** Gives a chart between about sixty and some hundreds of steps. */
function stepFor(lengthMs: number, isOld: boolean): Step {
  if (lengthMs <= 6 * stepLengthsMs.hour && !isOld) return 'minute';
  return lengthMs <= 14 * stepLengthsMs.day ? 'hour' : 'day';
}
