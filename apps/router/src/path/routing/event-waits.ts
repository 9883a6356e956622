import type { WaitInput } from '#libs/expressions';
import { type Queryable, storableJson } from '#libs/database';
import { Injectable } from '@nestjs/common';
import type { MessageRow } from '../../entities/message.entity.js';
import type { OpenWait } from '../rules/project-rules.js';
import { filterInput, unheardBy } from './evaluate-triggers.js';
import type { Plan } from './plan.js';

/** Of an event that nothing else took, or that a run took for itself. */
export const continuedCode = 'continued_run';

/** What is compared with what a run waits for. */
export type Arrived = Pick<MessageRow, 'id' | 'receipt_id' | 'app_id' | 'message' | 'verified' | 'request'>;

/** Hears when waits were decided, so that their runs go on at once. */
@Injectable()
export class EventWaits {
  private listener: () => void = () => undefined;

  follow(listener: () => void): void {
    this.listener = listener;
  }

  /** Call it after the commit. */
  decided(plans: Plan[]): void {
    if (plans.some(({ continued }) => continued.length > 0)) this.listener();
  }
}

/** Of these waits, those that a message fits. A condition without a value for it does not fit. */
export function waitsFor(waits: readonly OpenWait[], arrived: Arrived): OpenWait[] {
  if (unheardBy(arrived.message)) return [];
  const { app_id: appId, message, id } = arrived;
  const listening = waits.filter(
    (wait) =>
      wait.run_message_id !== id &&
      (wait.app_id === null || wait.app_id === appId) &&
      (wait.event_type === null || wait.event_type === message.event_type),
  );
  if (listening.length === 0) return [];
  const input = filterInput(message, null, arrived.verified, arrived.request);
  return input === null ? [] : listening.filter((wait) => isMet(wait, input));
}

function isMet({ compiled, given }: OpenWait, { event, metadata, request }: Omit<WaitInput, 'run' | 'steps'>): boolean {
  if (compiled === null) return true;
  if ('problem' in compiled) return false;
  try {
    return compiled.expression.evaluate({ event, metadata, request, ...given }) === true;
  } catch {
    // Most events are none that anybody waits for, and lack what the condition reads.
    return false;
  }
}

/** A wait and the message that fits it. */
export interface Fulfilment {
  wait: OpenWait;
  arrived: Arrived;
}

// Locked in the order of ids: batches that fit the same waits in different orders would deadlock. A run that has gone on
// with a message does not go on with it again.
const fulfilSql = `
  WITH f AS (SELECT * FROM jsonb_to_recordset($1::jsonb) AS f(id text, event_id text, message_id text)),
  open AS (SELECT w.id FROM router.event_wait w WHERE w.id IN (SELECT id FROM f) AND w.state = 'waiting' ORDER BY w.id FOR UPDATE),
  won AS (
    UPDATE router.event_wait w SET state = 'queued', outcome = 'fulfilled', due_at = now(), decided_at = now(),
           event_id = f.event_id, message_id = f.message_id
      FROM f JOIN open ON open.id = f.id
     WHERE w.id = f.id AND (w.until > now() OR $2)
       AND NOT EXISTS (SELECT FROM router.event_wait o WHERE o.turn_id = w.turn_id AND o.message_id = f.message_id)
    RETURNING w.id)
  SELECT id FROM won`;

/**
 * Decides waits, each by the first message that fits it.
 * @param inTime the messages are known to have come in time; otherwise they come now
 * @returns those that were open until now
 */
export async function fulfil(tx: Queryable, found: Fulfilment[], inTime = false): Promise<Fulfilment[]> {
  const first = new Map<string, Fulfilment>();
  for (const each of found) if (!first.has(each.wait.id)) first.set(each.wait.id, each);
  if (first.size === 0) return [];
  const rows = [...first.values()].map(({ wait, arrived }) => ({
    id: wait.id,
    event_id: arrived.receipt_id,
    message_id: arrived.id,
  }));
  const won = (await tx.query(fulfilSql, [storableJson(rows), inTime])) as { id: string }[];
  return won.flatMap(({ id }) => first.get(id) ?? []);
}

/**
 * Lets the planned messages fulfil waits, before anything is counted for what they start: one that is consumed starts
 * nothing.
 */
export async function fulfilWaits(tx: Queryable, planned: { plan: Plan; waits: OpenWait[] }[]): Promise<void> {
  const arrivals = planned.flatMap(({ plan, waits }) =>
    waits.length > 0 && counts(plan) ? waitsFor(waits, plan.message).map((wait) => ({ wait, plan })) : [],
  );
  const plans = new Map(arrivals.map(({ plan }) => [plan.message.id, plan]));
  const won = await fulfil(
    tx,
    arrivals.map(({ wait, plan }) => ({ wait, arrived: plan.message })),
  );
  for (const { wait, arrived } of won) plans.get(arrived.id)?.continued.push(wait);
  for (const plan of plans.values()) if (plan.continued.some(({ consume }) => consume)) consume(plan);
}

/** What the guards refused fulfils nothing, nor does what a person repeats, or what decides about a call. */
function counts({ draft, decision, message }: Plan): boolean {
  return !draft.replay && !decision.decides && isHeard(message);
}

export function isHeard({ outcome, reason }: Pick<MessageRow, 'outcome' | 'reason'>): boolean {
  return outcome === 'routed' || outcome === 'no_match' || (outcome === 'parked' && reason === 'filter_error');
}

/** As `isHeard`, for stored messages: those that were released were routed then. */
export const heardSql = `(m.outcome IN ('routed', 'no_match') OR m.released_at IS NOT NULL
  OR m.outcome = 'parked' AND m.reason = 'filter_error')`;

function consume(plan: Plan): void {
  const { decision, message } = plan;
  for (const verdict of decision.verdicts)
    if (verdict.verdict === 'matched' || verdict.verdict === 'suspended')
      Object.assign(verdict, { verdict: 'filtered', reason: 'a run waited for the event, and took it for itself' });
  Object.assign(decision, { runs: [], session: null, fallback: null, chiefOfStaff: null, routePolicy: null });
  plan.turns = [];
  Object.assign(message, { chief_of_staff: null, reply_withheld: null });
  end(plan);
}

/** An event by which a run goes on is no event that nothing took. */
export function noteContinued(plans: Plan[]): void {
  for (const plan of plans) if (plan.continued.length > 0 && plan.message.outcome === 'no_match') end(plan);
}

function end({ decision, message }: Plan): void {
  for (const each of [decision, message]) Object.assign(each, { outcome: 'routed', reason: continuedCode });
}
