import { type TurnInput, withHopsOf } from '#libs/contracts';
import { type Queryable, storableJson } from '#libs/database';
import type { Target } from '../../entities/message.entity.js';
import { turnOf, type WholeTurn } from '../handover/turn-handover.service.js';
import { type Plan, withoutRuns } from './plan.js';

const minuteMs = 60_000;
const hourMs = 3_600_000;

interface Window {
  triggerId: string;
  scope: string;
  startsAt: Date;
  limit: number;
  used: number;
}

/**
 * Removes the runs that exceed their triggers' limits, in fixed windows (a minute for a trigger, an hour for one of its
 * contacts), and records that in the verdicts.
 */
export async function applyTriggerLimits(tx: Queryable, plans: Plan[], nowMs: number): Promise<void> {
  const windows = new Map<string, Window>();
  const claims: { plan: Plan; triggerId: string; windows: Window[] }[] = [];
  for (const plan of plans.filter(({ draft }) => !draft.replay)) {
    for (const { trigger } of plan.decision.runs) {
      if (!trigger) continue;
      const sender = plan.senderContext?.contactId ?? plan.draft.message.sender;
      const wanted = [
        windowOf(windows, trigger.id, '', minuteMs, nowMs, trigger.limit_per_minute),
        windowOf(windows, trigger.id, sender, hourMs, nowMs, trigger.contact_limit_per_hour),
      ].filter((window) => window !== null);
      if (wanted.length > 0) claims.push({ plan, triggerId: trigger.id, windows: wanted });
    }
  }
  if (claims.length === 0) return;
  const asked = new Map<Window, number>();
  for (const claim of claims) for (const window of claim.windows) asked.set(window, (asked.get(window) ?? 0) + 1);
  await countRuns(tx, windows, asked);
  const refused = new Map<Plan, Map<string, string>>();
  for (const { plan, triggerId, windows: mine } of claims) {
    const full = mine.find((window) => window.used >= window.limit);
    for (const window of mine) window.used += 1;
    if (!full) continue;
    const reasons = refused.get(plan) ?? new Map<string, string>();
    reasons.set(triggerId, `over ${full.limit} runs ${full.scope === '' ? 'a minute' : 'an hour for this contact'}`);
    refused.set(plan, reasons);
  }
  for (const [plan, reasons] of refused) withoutRuns(plan, reasons, nowMs);
}

function windowOf(
  windows: Map<string, Window>,
  triggerId: string,
  scope: string,
  lengthMs: number,
  nowMs: number,
  limit: number | null,
): Window | null {
  if (limit === null) return null;
  const key = `${triggerId} ${scope}`;
  const known = windows.get(key);
  if (known) return known;
  const made = { triggerId, scope, startsAt: new Date(nowMs - (nowMs % lengthMs)), limit, used: 0 };
  windows.set(key, made);
  return made;
}

async function countRuns(tx: Queryable, windows: Map<string, Window>, asked: Map<Window, number>): Promise<void> {
  const sorted = [...windows.values()].sort((a, b) =>
    `${a.triggerId} ${a.scope}` < `${b.triggerId} ${b.scope}` ? -1 : 1,
  );
  const rows = (await tx.query(
    `INSERT INTO router.trigger_window AS w (trigger_id, scope, starts_at, runs)
     SELECT * FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::integer[])
     ON CONFLICT (trigger_id, scope, starts_at) DO UPDATE SET runs = w.runs + excluded.runs
     RETURNING trigger_id, scope, runs`,
    [
      sorted.map((each) => each.triggerId),
      sorted.map((each) => each.scope),
      sorted.map((each) => each.startsAt),
      sorted.map((each) => asked.get(each) ?? 0),
    ],
  )) as { trigger_id: string; scope: string; runs: number }[];
  for (const row of rows) {
    const window = windows.get(`${row.trigger_id} ${row.scope}`);
    if (window) window.used = row.runs - (asked.get(window) ?? 0);
  }
}

/** Most messages of one run. */
const joinedAtMost = 200;

interface Waiting {
  plan: Plan;
  turn: Target;
  triggerId: string;
  scope: string;
  quietSeconds: number;
  maxSeconds: number;
}

/**
 * Lets the runs of debounced triggers wait for more messages. A sender's first message creates the run, and those that
 * follow are added to its turn, which is stored here until it is due. A message that joins is removed from its plan;
 * its verdict names the run that it joined.
 */
export async function joinDebounced(tx: Queryable, plans: Plan[], nowMs: number): Promise<void> {
  const waiting = plans.filter(({ draft }) => !draft.replay).flatMap(waitingOf);
  // One statement each: two messages of one sender in a batch share one row, which one upsert cannot change twice.
  waiting.sort((a, b) => (`${a.triggerId} ${a.scope}` < `${b.triggerId} ${b.scope}` ? -1 : 1));
  for (const each of waiting) await join(tx, each, nowMs);
}

function waitingOf(plan: Plan): Waiting[] {
  return plan.decision.runs.flatMap(({ trigger }) => {
    const turn = plan.turns.find(({ run }) => run !== null && run.trigger_id === trigger?.id);
    if (!trigger?.debounce_seconds || !turn) return [];
    return [
      {
        plan,
        turn,
        triggerId: trigger.id,
        scope: plan.senderContext?.contactId ?? plan.draft.message.sender,
        quietSeconds: trigger.debounce_seconds,
        maxSeconds: trigger.debounce_max_seconds ?? trigger.debounce_seconds * 10,
      },
    ];
  });
}

async function join(tx: Queryable, waiting: Waiting, nowMs: number): Promise<void> {
  const { plan, turn } = waiting;
  turn.held = { until: 'messages', at: new Date(nowMs).toISOString() };
  const whole = turnOf(plan.message, turn);
  const rows = (await tx.query(
    `INSERT INTO router.debounce AS d (trigger_id, scope, turn_id, turn, due_at, max_at)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (trigger_id, scope) DO UPDATE SET
       due_at = CASE WHEN d.due_at = '-infinity' THEN d.due_at ELSE least(excluded.due_at, d.max_at) END
     RETURNING turn`,
    [
      waiting.triggerId,
      waiting.scope,
      turn.turn_id,
      storableJson(whole),
      new Date(nowMs + Math.min(waiting.quietSeconds, waiting.maxSeconds) * 1_000),
      new Date(nowMs + waiting.maxSeconds * 1_000),
    ],
  )) as { turn: WholeTurn }[];
  const owner = rows[0]?.turn;
  if (!owner || owner.turn_id === turn.turn_id) return;
  plan.turns = plan.turns.filter((each) => each !== turn);
  const verdict = plan.decision.verdicts.find((each) => each.trigger_id === waiting.triggerId);
  if (verdict) verdict.reason = `joined ${owner.run?.id}, which waits for more messages`;
  await addMessage(tx, owner, whole.input);
}

/** The newest message becomes the turn's own; the earlier ones go with it, oldest first. */
async function addMessage(tx: Queryable, owner: WholeTurn, newer: TurnInput): Promise<void> {
  const { input: known } = owner;
  const input = { ...answeredAs(newer, known), earlier: [...(known.earlier ?? []), known.message] };
  // Full: it starts with the next sweep, even if its sender continues.
  const full = input.earlier.length >= joinedAtMost;
  await tx.query(
    `UPDATE router.debounce SET turn = $2, due_at = CASE WHEN $3 THEN '-infinity' ELSE due_at END WHERE turn_id = $1`,
    [owner.turn_id, storableJson({ ...owner, input }), full],
  );
}

/** The newer input, with its reply, or the earlier reply if the newer has none (for example an absence note). */
function answeredAs(newer: TurnInput, earlier: TurnInput): TurnInput {
  if (newer.reply || !earlier.reply) return { ...newer, reply: withHopsOf(newer.reply, earlier.reply) };
  const { reply_withheld: _why, ...input } = newer;
  return { ...input, reply: earlier.reply };
}
