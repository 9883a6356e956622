import { newId } from '#libs/contracts';
import type { Queryable } from '#libs/database';
import type { PlannedSession } from '../routing/decide.js';
import type { Plan } from '../routing/plan.js';
import type { TurnRow } from '../turns/turn.entity.js';
import { linesBetween, takeoverLines } from './takeover-lines.js';

interface Wanted {
  plan: Plan;
  session: PlannedSession;
  turn: TurnRow;
}

interface LockedSession {
  id: string;
  key: string;
  current_turn_id: string | null;
  epoch: number;
  /** No turn that succeeded has been told yet what was said while a person had taken it over. */
  untold: boolean;
}

/**
 * Locks the sessions in key order; a session without a turn under way starts the first of the batch's turns, unless a
 * person has taken it over. Everything else waits in its inbox.
 */
export async function settleSessions(tx: Queryable, plans: Plan[], nowMs: number): Promise<void> {
  const wanted = plans.flatMap((plan): Wanted[] => {
    const { session } = plan.decision;
    const turn = plan.turns.at(-1);
    return session && turn ? [{ plan, session, turn }] : [];
  });
  if (wanted.length === 0) return;
  const firstOf = new Map<string, Wanted>();
  for (const entry of wanted) if (!firstOf.has(entry.session.key)) firstOf.set(entry.session.key, entry);
  const firsts = [...firstOf.values()].sort((a, b) => (a.session.key < b.session.key ? -1 : 1));
  await startAnew(tx, firsts, nowMs);
  const sessions = await lockSessions(tx, firsts, nowMs);
  const waiting: { session: string; turn: string }[] = [];
  const untold = [...sessions.values()].filter((session) => session.untold).map(({ id }) => id);
  const lines = await takeoverLines(tx, untold);
  for (const { session: planned, turn } of wanted) {
    const session = sessions.get(planned.key);
    if (!session) throw new Error(`the session ${planned.key} was not returned`);
    turn.session_id = session.id;
    turn.epoch = session.epoch;
    if (session.current_turn_id === turn.id) {
      turn.state = 'open';
      const said = lines.get(session.id);
      if (said) turn.input = { ...turn.input, takeover: linesBetween(said, [turn.created_at]) };
    } else waiting.push({ session: session.id, turn: turn.id });
  }
  if (waiting.length > 0) {
    await tx.query(
      'INSERT INTO router.session_inbox (session_id, turn_id) SELECT * FROM unnest($1::text[], $2::text[])',
      [waiting.map((entry) => entry.session), waiting.map((entry) => entry.turn)],
    );
  }
}

/** Closes sessions that were silent for too long, or since the daily hour: their key is free for a new one. */
async function startAnew(tx: Queryable, firsts: Wanted[], nowMs: number): Promise<void> {
  const resetting = firsts.flatMap(({ session }) => {
    const before = resetBefore(session, nowMs);
    return before === null ? [] : [{ key: session.key, before }];
  });
  if (resetting.length === 0) return;
  await tx.query(
    `WITH due AS (
       SELECT s.id FROM router.session s JOIN unnest($1::text[], $2::timestamptz[]) AS g(key, before) ON s.key = g.key
        WHERE s.updated_at < g.before AND s.current_turn_id IS NULL AND s.status <> 'taken_over'
        ORDER BY s.key FOR UPDATE OF s),
     closed AS (
       UPDATE router.session s SET key = s.key || ' until ' || s.id, status = 'closed' FROM due WHERE s.id = due.id
       RETURNING s.id)
     INSERT INTO router.session_mark (session_id, at, kind, made_by) SELECT id, $3, 'reset', 'router' FROM closed`,
    [resetting.map(({ key }) => key), resetting.map(({ before }) => before), new Date(nowMs)],
  );
}

/** @returns the time before which the last message has to have come for the session to start anew, or null */
export function resetBefore(
  { idleResetMinutes, dailyResetHour }: Pick<PlannedSession, 'idleResetMinutes' | 'dailyResetHour'>,
  nowMs: number,
): Date | null {
  const dayMs = 86_400_000;
  const idle = idleResetMinutes === null ? null : nowMs - idleResetMinutes * 60_000;
  const hourMs = (dailyResetHour ?? 0) * 3_600_000;
  const daily = dailyResetHour === null ? null : Math.floor((nowMs - hourMs) / dayMs) * dayMs + hourMs;
  if (idle === null && daily === null) return null;
  return new Date(Math.max(idle ?? 0, daily ?? 0));
}

async function lockSessions(tx: Queryable, firsts: Wanted[], nowMs: number): Promise<Map<string, LockedSession>> {
  const column = <T>(of: (entry: Wanted) => T): T[] => firsts.map(of);
  const rows = (await tx.query(
    `INSERT INTO router.session AS s (id, organization_id, project_id, app_id, key, current_turn_id, agent_id, contact_id,
       inbox_mode, epoch, status, created_at, updated_at)
     SELECT *, 1, 'active', $10, $10 FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
       $7::text[], $8::text[], $9::text[])
     ON CONFLICT (key) DO UPDATE SET updated_at = excluded.updated_at, inbox_mode = excluded.inbox_mode,
       agent_id = excluded.agent_id,
       status = CASE WHEN s.status = 'taken_over' THEN s.status ELSE 'active' END,
       epoch = s.epoch + CASE WHEN s.current_turn_id IS NULL AND s.status <> 'taken_over' THEN 1 ELSE 0 END,
       current_turn_id = CASE WHEN s.status = 'taken_over' THEN s.current_turn_id
                              ELSE coalesce(s.current_turn_id, excluded.current_turn_id) END
     RETURNING id, key, current_turn_id, epoch, coalesce(taken_over_epoch >= answered_epoch, false) AS untold`,
    [
      column(() => newId('ses')),
      column(({ plan }) => plan.message.organization_id),
      column(({ plan }) => plan.message.project_id),
      column(({ plan }) => plan.message.app_id),
      column(({ session }) => session.key),
      column(({ turn }) => turn.id),
      column(({ session }) => session.agentId),
      column(({ session }) => session.contactId),
      column(({ session }) => session.inboxMode),
      new Date(nowMs),
    ],
  )) as LockedSession[];
  return new Map(rows.map((row) => [row.key, row]));
}
