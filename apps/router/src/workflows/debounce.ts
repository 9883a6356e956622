import type { TurnInput } from '#libs/contracts';
import type { TurnRow } from '../turns/turn.entity.js';
import type { Plan } from '../routing/plan.js';
import { withHopsOf } from '../routing/reply-target.js';
import { type Queryable, storableJson } from '#libs/database';

/** Messages of one run. */
const joinedAtMost = 200;

interface Waiting {
  plan: Plan;
  turn: TurnRow;
  triggerId: string;
  scope: string;
  quietSeconds: number;
  maxSeconds: number;
}

/**
 * Lets the runs of debounced triggers wait for more: the first message of a sender makes the run, those that follow are
 * added to it while it waits. Runs whose turn is not new are taken off their plans; the verdicts name the run they joined.
 */
export async function joinDebounced(tx: Queryable, plans: Plan[], nowMs: number): Promise<void> {
  const waiting = plans.filter(({ draft }) => !draft.replay).flatMap(waitingOf);
  // One statement each: two messages of one sender in a batch are one row, which one upsert cannot change twice.
  waiting.sort((a, b) => (`${a.triggerId} ${a.scope}` < `${b.triggerId} ${b.scope}` ? -1 : 1));
  for (const each of waiting) await join(tx, each, nowMs);
}

/** Hands out the turns that waited long enough. */
export async function openDue(tx: Queryable, nowMs: number, limit: number): Promise<TurnRow[]> {
  const due: unknown = await tx.query(
    `DELETE FROM router.debounce WHERE (trigger_id, scope) IN (
       SELECT trigger_id, scope FROM router.debounce WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING run_id, turn_id`,
    [new Date(nowMs), limit],
  );
  const rows = (due as [{ run_id: string; turn_id: string }[], number])[0];
  if (rows.length === 0) return [];
  // A run that was cancelled meanwhile stays what it is; one whose workflow was suspended waits for its release.
  const runs: unknown = await tx.query(
    `UPDATE router.run r SET state = 'queued' WHERE id = ANY($1) AND state = 'suspended'
        AND NOT EXISTS (SELECT FROM router.workflow w WHERE w.project_id = r.project_id AND w.id = r.workflow_id
                           AND w.status = 'suspended') RETURNING id`,
    [rows.map((row) => row.run_id)],
  );
  const released = (runs as [{ id: string }[], number])[0].map((run) => run.id);
  const turns: unknown = await tx.query(
    `UPDATE router.turn SET state = 'open', woken_at = now() WHERE run_id = ANY($1) AND state = 'held' RETURNING *`,
    [released],
  );
  return (turns as [TurnRow[], number])[0];
}

function waitingOf(plan: Plan): Waiting[] {
  return plan.decision.runs.flatMap(({ trigger }, index) => {
    const turn = plan.turns.find((each) => each.run_id !== null && each.run_id === plan.runs[index]?.id);
    if (!trigger?.debounce_seconds || !turn) return [];
    return [
      {
        plan,
        turn,
        triggerId: trigger.id,
        scope: plan.standing?.contactId ?? plan.draft.message.sender,
        quietSeconds: trigger.debounce_seconds,
        maxSeconds: trigger.debounce_max_seconds ?? trigger.debounce_seconds * 10,
      },
    ];
  });
}

async function join(tx: Queryable, waiting: Waiting, nowMs: number): Promise<void> {
  const { plan, turn } = waiting;
  const run = plan.runs.find((each) => each.id === turn.run_id);
  if (!run) return;
  const rows = (await tx.query(
    `INSERT INTO router.debounce AS d (trigger_id, scope, run_id, turn_id, due_at, max_at)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (trigger_id, scope) DO UPDATE SET
       due_at = CASE WHEN d.due_at = '-infinity' THEN d.due_at ELSE least(excluded.due_at, d.max_at) END
     RETURNING run_id, turn_id`,
    [
      waiting.triggerId,
      waiting.scope,
      run.id,
      turn.id,
      new Date(nowMs + Math.min(waiting.quietSeconds, waiting.maxSeconds) * 1_000),
      new Date(nowMs + waiting.maxSeconds * 1_000),
    ],
  )) as { run_id: string; turn_id: string }[];
  const owner = rows[0];
  run.state = 'suspended';
  turn.state = 'held';
  if (!owner || owner.turn_id === turn.id) return;
  plan.runs = plan.runs.filter((each) => each !== run);
  plan.turns = plan.turns.filter((each) => each !== turn);
  const verdict = plan.decision.verdicts.find((each) => each.trigger_id === waiting.triggerId);
  if (verdict) verdict.reason = `joined ${owner.run_id}, which waits for more`;
  await addMessage(tx, owner.turn_id, turn, plan);
}

/** The newest message is the turn's own; those before it go with it, oldest first. */
async function addMessage(tx: Queryable, turnId: string, newer: TurnRow, plan: Plan): Promise<void> {
  const rows = (await tx.query('SELECT input FROM router.turn WHERE id = $1 FOR UPDATE', [turnId])) as Pick<
    TurnRow,
    'input'
  >[];
  // The owner is of the same batch, and not stored yet.
  const own = plan.batch.flatMap(({ turns }) => turns).find(({ id }) => id === turnId);
  const known = own?.input ?? rows[0]?.input;
  if (!known) return;
  const joined = { ...answeredAs(newer.input, known), earlier: [...(known.earlier ?? []), known.message] };
  // Full: it starts with the next sweep, however long its sender goes on.
  if (joined.earlier.length >= joinedAtMost) {
    await tx.query(`UPDATE router.debounce SET due_at = '-infinity' WHERE turn_id = $1`, [turnId]);
  }
  if (own) own.input = joined;
  else await tx.query('UPDATE router.turn SET input = $2::jsonb WHERE id = $1', [turnId, storableJson(joined)]);
}

/** The newer input, answered where it is, or where the earlier one is when nobody answers it: an absence note, say. */
function answeredAs(newer: TurnInput, earlier: TurnInput): TurnInput {
  if (newer.reply || !earlier.reply) return { ...newer, reply: withHopsOf(newer.reply, earlier.reply) };
  const { reply_withheld: _why, ...input } = newer;
  return { ...input, reply: earlier.reply };
}
