import type { MessageRoutePayload } from '#libs/contracts';
import type { JournalEntry } from '#libs/journal';
import { loopAdvice } from './refusal.js';
import { unheardBy } from './evaluate-triggers.js';
import { type Decision, withheldAdvice } from './decide.js';
import type { MessageRow } from '../../entities/message.entity.js';
import { type Plan, runIdsOf } from './plan.js';
import type { Arrival } from './draft.js';

const shownVerdicts = 20;
const shownRuns = 20;
const shownSenderChars = 200;

/** An entry and the message that it is committed with. */
export interface ArrivalEntry {
  entry: JournalEntry;
  message: MessageRow;
}

/**
 * The timeline entries of the receipts whose messages were planned: those left by the previous hop, and the routing.
 */
export function arrivalEntries(plans: Plan[]): ArrivalEntry[] {
  const arrived = Map.groupBy(plans, ({ draft }) => draft.arrival);
  return [...arrived].flatMap(([arrival, own]) => {
    if (!arrival) return [];
    const representative = standsFor(own);
    const routed = routedEntry(arrival, outcomeOf(representative, arrival.messages));
    const earlier = entriesOfParsing(arrival);
    const entries = [...earlier.filter((each) => !isStep(each)), { ...routed, before: earlier.filter(isStep) }];
    return entries.map((entry) => ({ entry, message: representative.message }));
  });
}

/**
 * What the row of a routed message says of its entry, as the view `journal.message_entry` reads it there.
 * @returns null for an entry that is not about this message's being routed: it has a row of its own
 */
export function factsOfRow(
  { stage, outcome, subject_id, reason = null }: JournalEntry,
  { id, reason: why, message: { event_type, sender } }: MessageRow,
): Record<string, unknown> | null {
  if (stage !== 'routed' || outcome !== 'routed' || subject_id !== id || reason !== why) return null;
  return { event_type, sender: [...sender].slice(0, shownSenderChars).join(''), verdicts: [], messages: 1 };
}

/** What a list looks for has a row of its own. */
function isStep({ stage, outcome }: JournalEntry): boolean {
  return outcome === 'ok' && (stage === 'verified' || stage === 'parsed');
}

/** The message that decides how its receipt ends: a routed one, if any. @param plans of one receipt, not empty */
export function standsFor(plans: Plan[]): Plan {
  return (plans.find(({ message }) => message.outcome === 'routed') ?? plans[0]) as Plan;
}

/** The entries that the previous hop left to this one to commit. */
export function entriesOfParsing({ job, from = 'adapter-gateway' }: Arrival): JournalEntry[] {
  return (job.entries ?? []).map((each) => ({
    ...subjectOf(job),
    service: from,
    ...each,
    at: new Date(each.at),
  }));
}

export function routedEntry(
  { job, attempt, startedMs }: Arrival,
  outcome: Pick<JournalEntry, 'outcome' | 'reason' | 'subject_id' | 'detail'>,
): JournalEntry {
  return { ...subjectOf(job), stage: 'routed', ...outcome, attempt, duration_ms: performance.now() - startedMs };
}

/** Stored messages were routed again. @param by who asked for it */
export function replayedEntry(plan: Plan, by: string, reason: string, rehearsal: boolean): JournalEntry {
  const { message, decision } = plan;
  return {
    ...subjectOf(message),
    stage: 'routed',
    outcome: 'replayed',
    reason,
    subject_id: message.id,
    detail: {
      by,
      now: message.outcome,
      verdicts: message.verdicts,
      ...routeOf(decision),
      run_ids: runIdsOf([plan]),
      turn_ids: plan.turns.map(({ turn_id }) => turn_id),
      ...continuedIn(plan.continued),
      ...(rehearsal ? { rehearsal: true } : {}),
    },
  };
}

/** One outcome for the receipt, from the message that represents it. @param messages how many the receipt has */
function outcomeOf(
  { message, decision, continued }: Plan,
  messages: number,
): Pick<JournalEntry, 'outcome' | 'reason' | 'subject_id' | 'detail'> {
  const { event_type, sender } = message.message;
  // The message's row has them all; with hundreds of triggers, a second copy would be most of a message's cost.
  const verdicts = message.verdicts.filter(({ verdict }) => verdict !== 'filtered').slice(0, shownVerdicts);
  return {
    outcome: message.outcome as 'routed',
    reason: message.reason,
    subject_id: message.id,
    detail: {
      event_type,
      sender: [...sender].slice(0, shownSenderChars).join(''),
      verdicts,
      messages,
      ...routeOf(decision),
      ...informed(decision),
      ...explained(message),
      ...continuedIn(continued),
    },
  };
}

/** The runs that waited for it. */
function continuedIn(continued: Plan['continued']): { continued_runs?: string[] } {
  return continued.length === 0 ? {} : { continued_runs: continued.slice(0, shownRuns).map(({ run_id }) => run_id) };
}

/** By which policy of the channel it was routed, and whether the Chief of Staff got it. */
function routeOf({ routePolicy, chiefOfStaff }: Decision): Record<string, string> {
  if (routePolicy === null || chiefOfStaff === null) return {};
  const isKept = !['taken', 'off', 'trigger_took_it'].includes(chiefOfStaff);
  return { route_policy: routePolicy, chief_of_staff: isKept ? `kept_from: ${chiefOfStaff}` : chiefOfStaff };
}

/** Whether the sender of a message that a limit refused is informed. */
function informed({ informing }: Decision): Record<string, string> {
  if (!informing) return {};
  return { notice: 'notice' in informing ? 'The sender is informed once.' : informing.withheld };
}

/** What a person needs to know besides the outcome: what was held back, why, and what to do. */
function explained({ reply_withheld, reason, outcome, message, verdicts }: MessageRow): Record<string, unknown> {
  const unheard = verdicts.length > 0 ? unheardBy(message) : null;
  return {
    ...(unheard ? { triggers_not_asked: `${unheard.reason}: have it set them in its answers of /parse-inbound` } : {}),
    ...(reply_withheld ? { reply_withheld, advice: withheldAdvice[reply_withheld] } : {}),
    ...(outcome === 'loop_paused' ? { advice: loopAdvice(reason) } : {}),
    ...(message.origin ? { came_by: message.origin } : {}),
  };
}

function subjectOf({
  receipt_id,
  organization_id,
  project_id,
  app_id,
}: Pick<MessageRoutePayload, 'receipt_id' | 'organization_id' | 'project_id' | 'app_id'>) {
  return { receipt_id, organization_id, project_id, app_id };
}
