import type { Queryable } from '#libs/database';
import type { Plan } from './plan.js';
import { withoutRuns } from './plan.js';

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

/** Deletes windows that are over. */
export async function forgetWindows(db: Queryable): Promise<void> {
  await db.query(`DELETE FROM router.trigger_window WHERE starts_at < now() - interval '1 day'`);
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
