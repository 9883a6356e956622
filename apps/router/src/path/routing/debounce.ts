import type { TurnInput } from '#libs/contracts';
import { withHopsOf } from '#libs/contracts';
import { type Queryable, storableJson } from '#libs/database';
import type { Target } from '../../entities/message.entity.js';
import { turnOf, type WholeTurn } from '../handover/turn-handover.service.js';
import type { Plan } from './plan.js';

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

/** Whether any turn has waited long enough: checked often and usually in vain, so without a transaction. */
export async function anyDue(db: Queryable, nowMs: number): Promise<boolean> {
  const rows = (await db.query('SELECT 1 FROM router.debounce WHERE due_at <= $1 LIMIT 1', [
    new Date(nowMs),
  ])) as unknown[];
  return rows.length > 0;
}

/** Takes the turns that waited long enough; one whose workflow was suspended meanwhile continues to wait for that. */
export async function takeDue(tx: Queryable, nowMs: number, limit: number): Promise<WholeTurn[]> {
  const due: unknown = await tx.query(
    `DELETE FROM router.debounce WHERE (trigger_id, scope) IN (
       SELECT trigger_id, scope FROM router.debounce WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED)
     RETURNING turn, (
       SELECT w.updated_at FROM router.workflow w WHERE w.project_id = turn ->> 'project_id'
          AND w.id = (turn -> 'run' ->> 'workflow_id')::integer AND w.status = 'suspended') AS suspended_at`,
    [new Date(nowMs), limit],
  );
  const rows = (due as [{ turn: WholeTurn; suspended_at: Date | null }[], number])[0];
  return rows.map(({ turn: { held: _held, ...turn }, suspended_at }) =>
    suspended_at ? { ...turn, held: { until: 'workflow', at: suspended_at.toISOString() } } : turn,
  );
}

/** Discards what waits for more messages for the runs of a workflow. */
export async function discardDebounced(tx: Queryable, projectId: string, workflowId: number): Promise<void> {
  await tx.query(
    `DELETE FROM router.debounce WHERE turn ->> 'project_id' = $1 AND (turn -> 'run' ->> 'workflow_id')::integer = $2`,
    [projectId, workflowId],
  );
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
