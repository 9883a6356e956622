import type { MessageRoutePayload, NormalizedMessage, RequestFacts } from '#libs/contracts';
import { PermanentFailure } from '#libs/queue';
import type { Verdict } from '../../entities/message.entity.js';
import type { FilterInput } from '#libs/expressions';
import type { ActiveTrigger, Rules } from '../rules/project-rules.js';
import type { SenderContext } from '../senders/senders.js';
import type { Draft } from './draft.js';

/**
 * Only this many triggers that filtered a message out are stored with it, and the rest are counted: with hundreds of
 * triggers, their reasons would be most of what a message costs. A request for the event gets them all.
 */
const filteredKept = 20;
/** More would hold up the messages behind it: a filter's loops go over all of them. */
const maxFilterValues = 10_000;

const tooLarge = `the metadata has over ${maxFilterValues} values, more than a filter reads`;

export interface Evaluation {
  verdicts: Verdict[];
  /** Triggers that filtered the message out and are not among the verdicts. */
  unlisted: number;
}

/** The verdict of every active trigger of the App, and its reason. */
export function evaluateTriggers(draft: Draft, rules: Rules, senderContext: SenderContext | null): Evaluation {
  const triggers = rules.triggers.get(draft.app_id) ?? [];
  const unheard = unheardBy(draft.message);
  let input: FilterInput | null | undefined;
  const inputOnce = (): FilterInput | null =>
    (input ??= filterInput(
      draft.message,
      senderContext && { id: senderContext.contactId, name: senderContext.name, status: senderContext.status },
      draft.verified,
      draft.request,
    ));
  const verdicts: Verdict[] = [];
  let filtered = 0;
  for (const trigger of triggers) {
    const evaluated = unheard ?? evaluate(trigger, draft.message.event_type, inputOnce, rules, filtered < filteredKept);
    if (evaluated.verdict === 'filtered') filtered += 1;
    if (evaluated.verdict === 'filtered' && filtered > filteredKept) continue;
    verdicts.push({ trigger_id: trigger.id, workflow_id: trigger.workflow_id, ...evaluated });
  }
  return { verdicts, unlisted: Math.max(0, filtered - filteredKept) };
}

/** A message that lacks what triggers need (spec 4.1): none of them can be asked. */
export function unheardBy({ missing }: Draft['message']): Pick<Verdict, 'verdict' | 'reason'> | null {
  if (!missing || missing.length === 0) return null;
  return { verdict: 'filter_error', reason: `the adapter left out ${missing.join(' and ')}, which a trigger needs` };
}

/**
 * Messages of an App with listening triggers need every field that triggers use; those of an App that only the Chief of
 * Staff hears do not (spec 2.5).
 * @returns what names the missing fields, or null
 */
export function missingForTriggers(
  job: MessageRoutePayload,
  messages: NormalizedMessage[],
  rules: Rules,
): MissingForTriggers | null {
  const listened = (rules.triggers.get(job.app_id)?.length ?? 0) > 0;
  if (!listened || rules.channels.get(job.app_id)?.route_policy === 'chief_of_staff') return null;
  const missing = new Set(messages.flatMap((message) => message.missing ?? []));
  return missing.size > 0 ? new MissingForTriggers([...missing].sort()) : null;
}

/** Fields without which a trigger's rules cannot be decided (spec 4.1). */
class MissingForTriggers extends PermanentFailure {
  constructor(fields: string[]) {
    super(
      'contract_violation',
      `/parse-inbound: ${fields.join(' and ')} must be present, because triggers listen to this App`,
    );
  }
}

function evaluate(
  trigger: ActiveTrigger,
  eventType: string,
  input: () => FilterInput | null,
  rules: Rules,
  explained: boolean,
): Pick<Verdict, 'verdict' | 'reason'> {
  const refused = evaluateTrigger(trigger, eventType, input, explained);
  if (refused) return refused;
  const status = rules.workflows.get(trigger.workflow_id)?.status ?? 'off';
  if (status === 'off') return { verdict: 'off', reason: 'the workflow is off' };
  if (status === 'suspended') return { verdict: 'suspended', reason: 'the workflow is suspended: the run waits' };
  return { verdict: 'matched', reason: null };
}

/** Why a trigger rejects an event on its own, or null. */
export function evaluateTrigger(
  trigger: Pick<ActiveTrigger, 'event_types' | 'compiled'>,
  eventType: string,
  input: () => FilterInput | null,
  explained = true,
): Pick<Verdict, 'verdict' | 'reason'> | null {
  if (trigger.event_types.length > 0 && !trigger.event_types.includes(eventType)) {
    return { verdict: 'filtered', reason: `event_type is ${eventType}, not ${trigger.event_types.join(', ')}` };
  }
  return trigger.compiled === null ? null : evaluateFilter(trigger.compiled, input(), explained);
}

function evaluateFilter(
  compiled: NonNullable<ActiveTrigger['compiled']>,
  input: FilterInput | null,
  explained: boolean,
): Pick<Verdict, 'verdict' | 'reason'> | null {
  if ('problem' in compiled) return { verdict: 'filter_error', reason: compiled.problem.message };
  if (!input) return { verdict: 'filter_error', reason: tooLarge };
  const result = compiled.filter.evaluate(input, explained);
  if (result.result === 'passed') return null;
  if (result.result === 'error') return { verdict: 'filter_error', reason: result.reason };
  return { verdict: 'filtered', reason: result.seen ? `${result.clause}: ${result.seen}` : result.clause };
}

/** A message as expressions see it; null when its metadata is larger than an expression may read. */
export function filterInput(
  message: NormalizedMessage,
  contact: { id: string; name: string; status: string } | null,
  verified: boolean,
  request: RequestFacts | null,
): FilterInput | null {
  if (countValues(message.metadata ?? {}, maxFilterValues) > maxFilterValues) return null;
  return {
    event: {
      type: message.event_type,
      sender: message.sender,
      message: message.message,
      thread_id: message.thread_id ?? '',
      is_dm: message.is_dm ?? false,
      verified,
    },
    contact: contact ?? { id: '', name: message.sender, status: 'builtin' },
    metadata: message.metadata ?? {},
    request: request ?? { headers: {}, query: {} },
  };
}

function countValues(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const entry of Object.values(value)) {
    count += countValues(entry, most - count);
    if (count > most) return count;
  }
  return count;
}
