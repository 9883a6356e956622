import { isOfAgentCallers } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import { Inject, Injectable } from '@nestjs/common';
import { type RouterSettings, SETTINGS } from '../../env.js';
import { automaticKindOf, Clock, type LoopLimits, noteInbound } from '../guards/loop-breaker.js';
import { findEchoes } from '../guards/outbound.handler.js';
import type { Rules } from '../rules/project-rules.js';
import {
  countAgainstBudget,
  keepExchanges,
  pairSenders,
  resolveSenders,
  type SenderContext,
  senderKey,
} from '../senders/senders.js';
import { decide, type Decision, type Refusal, refused, unknownSendersOf } from './decide.js';
import type { Draft } from './draft.js';
import { fulfilWaits, noteContinued } from './event-waits.js';
import { type Plan, planMessage } from './plan.js';
import { type Findings, informOf, type Limited, refuse } from './refusal.js';
import { applyTriggerLimits, joinDebounced } from './trigger-pacing.js';

/** A draft with the rules of its project. */
export interface Ruled {
  draft: Draft;
  rules: Rules;
}

interface Classified extends Ruled {
  senderContext: SenderContext | null;
  decision: Decision;
}

type ClassifySettings = LoopLimits & Pick<RouterSettings, 'ECHO_WINDOW_MS' | 'LOOP_MAX_HOPS'>;

/** Decides what messages become. */
@Injectable()
export class Planner {
  constructor(
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: RouterSettings,
  ) {}

  /**
   * Plans messages that need no database to be decided, so that one statement claims and stores them.
   * @returns null when one of them needs it: for its sender, for its triggers' counts, or for runs that wait
   */
  alone(batch: Ruled[]): Plan[] | null {
    if (batch.some(({ draft, rules }) => draft.app_kind !== 'builtin' || rules.waits.length > 0)) return null;
    const classified = batch.map((ruled) => classifyAlone(ruled, this.settings));
    return classified.some(isCounted) ? null : planned(classified, this.clock.nowMs());
  }

  /** Plans messages whose claim was won, within the transaction that stores them. */
  async within(tx: Queryable, batch: Ruled[]): Promise<Plan[]> {
    if (batch.length === 0) return [];
    const nowMs = this.clock.nowMs();
    const plans = planned(await classifyBatch(tx, batch, this.settings, nowMs), nowMs);
    await fulfilWaits(
      tx,
      plans.map((plan, index) => ({ plan, waits: batch[index]?.rules.waits ?? [] })),
    );
    await applyTriggerLimits(tx, plans, nowMs);
    await joinDebounced(tx, plans, nowMs);
    noteContinued(plans);
    return plans;
  }
}

function planned(classified: Classified[], nowMs: number): Plan[] {
  return classified.map(({ draft, senderContext, decision }) => planMessage(draft, senderContext, decision, nowMs));
}

/** Whether its runs are counted against limits, or wait for more messages. */
function isCounted({ decision }: Classified): boolean {
  return decision.runs.some(
    ({ trigger }) =>
      trigger &&
      (trigger.limit_per_minute !== null || trigger.contact_limit_per_hour !== null || trigger.debounce_seconds),
  );
}

/** Decides about a message of the built-in Webhook app, which has no sender to look up. */
function classifyAlone({ draft, rules }: Ruled, settings: ClassifySettings): Classified {
  const refusal = draft.released ? null : refusalOf(draft, rules, null, unsent, settings);
  return { draft, rules, senderContext: null, decision: refusal ? refused(refusal) : decide(draft, rules, null) };
}

/**
 * Decides about messages whose claim was won: who sent them, whether they are refused, and where they go. All messages
 * share each statement.
 */
async function classifyBatch(
  tx: Queryable,
  batch: Ruled[],
  settings: ClassifySettings,
  nowMs: number,
): Promise<Classified[]> {
  const people = batch
    .map(({ draft }) => draft)
    .filter((draft) => draft.app_kind === 'adapter' && !draft.message.is_bot);
  const senderContexts = await resolveSenders(
    tx,
    people.map((draft) => ({ ...draft, sender: draft.message.sender })),
  );
  const entries = batch.map((ruled) => ({
    ...ruled,
    senderContext: senderContexts.get(senderKey(ruled.draft.app_id, ruled.draft.message)) ?? null,
    refusal: null as Refusal | null,
    noted: false,
  }));
  const classifying = entries.filter(({ draft }) => !draft.released);
  await refuseBySender(tx, classifying, settings);
  const limited = new Map([
    ...refusePaused(classifying, settings, nowMs),
    ...(await refuseOverBudget(tx, classifying)),
  ]);
  const informings = await informOf(tx, [...limited.values()], nowMs);
  await keepExchanges(tx, notedOf(classifying));
  const informed = new Map([...limited.keys()].map((entry, index) => [entry, informings[index] ?? null]));
  return entries.map((entry) => {
    const { draft, rules, senderContext, refusal } = entry;
    const decision = refusal ? refused(refusal, informed.get(entry)) : decide(draft, rules, senderContext);
    return { draft, rules, senderContext, decision };
  });
}

type Entry = Ruled & { senderContext: SenderContext | null; refusal: Refusal | null; noted: boolean };
type LimitedEntry = [Entry, Limited];

function refusePaused(entries: Entry[], settings: ClassifySettings, nowMs: number): LimitedEntry[] {
  const limited: LimitedEntry[] = [];
  for (const entry of entries) {
    const { draft, rules, senderContext } = entry;
    // A message that is never answered makes no loop; nor does an answer that is only fetched.
    if (entry.refusal || !senderContext || automaticKindOf(draft.message) || isOfAgentCallers(draft.app_id)) continue;
    entry.noted = true;
    const { exchange } = senderContext;
    const loop = noteInbound(exchange, draft.message.message, nowMs, settings);
    if (!loop) continue;
    entry.refusal = { outcome: 'loop_paused', reason: loop };
    const reached = { pausedUntil: new Date(exchange.pausedUntil ?? nowMs) };
    limited.push([entry, { draft, rules, senderContext, reached }]);
  }
  return limited;
}

/** The senders whose exchange the loop breaker has changed. */
function notedOf(entries: Entry[]): SenderContext[] {
  return [...new Set(entries.flatMap(({ noted, senderContext }) => (noted && senderContext ? [senderContext] : [])))];
}

async function refuseBySender(tx: Queryable, entries: Entry[], settings: ClassifySettings): Promise<void> {
  const people = entries.filter(({ senderContext }) => senderContext !== null);
  const echoes = await findEchoes(
    tx,
    people.map(({ draft }) => draft),
    settings.ECHO_WINDOW_MS,
  );
  const pairing = people.filter(({ draft, rules }) => unknownSendersOf(rules, draft.app_id) === 'pair');
  const paired = await pairSenders(
    tx,
    pairing.map(({ draft, senderContext }) => ({ appId: draft.app_id, text: draft.message.message, senderContext })),
  );
  const pairedEntries = new Set(pairing.filter((_entry, index) => paired[index]));
  const echoOf = new Map(people.map((entry, index) => [entry, echoes[index] ?? null]));
  for (const entry of entries) {
    const { draft, rules, senderContext } = entry;
    const findings = { echo: echoOf.get(entry) ?? null, paired: pairedEntries.has(entry) };
    entry.refusal = refusalOf(draft, rules, senderContext, findings, settings);
  }
}

/** What is found out about a message that no person sent. */
const unsent: Findings = { echo: null, paired: false };

function refusalOf(
  draft: Draft,
  rules: Rules,
  senderContext: SenderContext | null,
  findings: Findings,
  { LOOP_MAX_HOPS }: ClassifySettings,
): Refusal | null {
  if (draft.unsanitisable) return { outcome: 'parked', reason: 'unsanitisable' };
  return refuse(draft.message, senderContext, unknownSendersOf(rules, draft.app_id), findings, LOOP_MAX_HOPS);
}

async function refuseOverBudget(tx: Queryable, entries: Entry[]): Promise<LimitedEntry[]> {
  const counted = entries.flatMap((entry) =>
    entry.refusal === null && entry.senderContext ? [{ entry, senderContext: entry.senderContext }] : [],
  );
  const over = await countAgainstBudget(
    tx,
    counted.map(({ senderContext }) => senderContext),
  );
  return counted.flatMap(({ entry, senderContext }, index): LimitedEntry[] => {
    const budget = over[index];
    if (!budget) return [];
    entry.refusal = { outcome: 'blocked_contact', reason: 'daily_budget' };
    return [[entry, { draft: entry.draft, rules: entry.rules, senderContext, reached: { budget } }]];
  });
}
