import type { Standing } from '../contacts/standing.js';
import type { Draft } from '../routing/draft.js';
import type { Verdict } from '../routing/message.entity.js';
import type { ActiveTrigger, Rules } from '../routing/project-rules.js';
import type { FilterInput } from './filter.js';
import { filterInput } from './filter-input.js';

/** The verdict of every active trigger of the App, and its reason. */
export function judgeTriggers(draft: Draft, rules: Rules, standing: Standing | null): Verdict[] {
  const triggers = rules.triggers.get(draft.app_id) ?? [];
  let input: FilterInput | null | undefined;
  const inputOnce = (): FilterInput | null =>
    (input ??= filterInput(
      draft.message,
      standing && { id: standing.contactId, name: standing.name, status: standing.status },
      draft.verified,
    ));
  return triggers.map((trigger) => ({
    trigger_id: trigger.id,
    workflow_id: trigger.workflow_id,
    ...judge(trigger, draft.message.event_type, inputOnce, rules),
  }));
}

function judge(
  trigger: ActiveTrigger,
  eventType: string,
  input: () => FilterInput | null,
  rules: Rules,
): Pick<Verdict, 'verdict' | 'reason'> {
  const refused = judgeEvent(trigger, eventType, input);
  if (refused) return refused;
  const status = rules.workflows.get(trigger.workflow_id)?.status ?? 'off';
  if (status === 'off') return { verdict: 'off', reason: 'the workflow is off' };
  if (status === 'suspended') return { verdict: 'suspended', reason: 'the workflow is suspended: the run waits' };
  return { verdict: 'matched', reason: null };
}

/** What a trigger has against an event by itself, or null. */
export function judgeEvent(
  trigger: Pick<ActiveTrigger, 'event_types' | 'compiled'>,
  eventType: string,
  input: () => FilterInput | null,
): Pick<Verdict, 'verdict' | 'reason'> | null {
  if (trigger.event_types.length > 0 && !trigger.event_types.includes(eventType)) {
    return { verdict: 'filtered', reason: `event_type is ${eventType}, not ${trigger.event_types.join(', ')}` };
  }
  return trigger.compiled === null ? null : judgeFilter(trigger.compiled, input());
}

function judgeFilter(
  compiled: NonNullable<ActiveTrigger['compiled']>,
  input: FilterInput | null,
): Pick<Verdict, 'verdict' | 'reason'> | null {
  if ('problem' in compiled) return { verdict: 'filter_error', reason: compiled.problem.message };
  if (!input) return { verdict: 'filter_error', reason: 'the metadata is too large for a filter' };
  const result = compiled.filter.evaluate(input);
  if (result.result === 'passed') return null;
  if (result.result === 'error') return { verdict: 'filter_error', reason: result.reason };
  return { verdict: 'filtered', reason: result.seen ? `${result.clause}: ${result.seen}` : result.clause };
}
