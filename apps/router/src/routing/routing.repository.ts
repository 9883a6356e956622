import { newId } from '#libs/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { RunRow } from '../runs/run.entity.js';
import type { TurnRow } from '../turns/turn.entity.js';
import type { MessageRow } from './message.entity.js';
import type { Plan } from './plan.js';

/** A key that was claimed before. */
export interface Claimed {
  app_id: string;
  dedup_key: string;
  message_id: string;
  receipt_id: string;
}

/** Writes what a batch of messages becomes, in one transaction and few statements. */
@Injectable()
export class RoutingRepository {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /**
   * Claims each plan's dedup key and commits those that won.
   * @returns for each plan null when it was committed, else who claimed the key before
   */
  commit(plans: Plan[]): Promise<(Claimed | null)[]> {
    return this.db.transaction(async (tx) => {
      const owners = await claim(tx, plans);
      const results = plans.map((plan) => {
        const owner = owners.get(claimKey(plan.message.app_id, plan.dedupKey));
        return owner && owner.message_id !== plan.message.id ? owner : null;
      });
      await write(
        tx,
        plans.filter((_plan, index) => results[index] === null),
      );
      return results;
    });
  }

  /** Commits plans without a claim: a replay. */
  async commitReplay(plans: Plan[]): Promise<void> {
    await this.db.transaction((tx) => write(tx, plans, { withMessages: false }));
  }

  async messagesOf(receiptIds: string[]): Promise<MessageRow[]> {
    return (await this.db.query('SELECT * FROM router.message WHERE receipt_id = ANY($1) ORDER BY id', [
      receiptIds,
    ])) as MessageRow[];
  }
}

async function claim(tx: EntityManager, plans: Plan[]): Promise<Map<string, Claimed>> {
  // Sorted by key: batches of two routers that claim the same keys in different orders deadlock.
  const sorted = [...plans].sort((a, b) =>
    claimKey(a.message.app_id, a.dedupKey) < claimKey(b.message.app_id, b.dedupKey) ? -1 : 1,
  );
  const column = <T>(of: (plan: Plan) => T): T[] => sorted.map(of);
  const keys = [column((plan) => plan.message.app_id), column((plan) => plan.dedupKey)];
  const won = (await tx.query(
    `INSERT INTO router.claim (app_id, dedup_key, message_id, receipt_id, claimed_at)
     SELECT *, now() FROM unnest($1::text[], $2::text[], $3::text[], $4::text[])
     ON CONFLICT DO NOTHING RETURNING app_id, dedup_key, message_id, receipt_id`,
    [...keys, column((plan) => plan.message.id), column((plan) => plan.message.receipt_id)],
  )) as Claimed[];
  const rows =
    won.length === plans.length
      ? won
      : ((await tx.query(
          `SELECT app_id, dedup_key, message_id, receipt_id FROM router.claim
            WHERE (app_id, dedup_key) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
          keys,
        )) as Claimed[]);
  return new Map(rows.map((row) => [claimKey(row.app_id, row.dedup_key), row]));
}

function claimKey(appId: string, dedupKey: string): string {
  return `${appId} ${dedupKey}`;
}

async function write(tx: EntityManager, plans: Plan[], options = { withMessages: true }): Promise<void> {
  if (plans.length === 0) return;
  await settleSessions(tx, plans);
  if (options.withMessages)
    await insertMessages(
      tx,
      plans.map((plan) => plan.message),
    );
  await insertRuns(
    tx,
    plans.flatMap((plan) => plan.runs),
  );
  await insertTurns(
    tx,
    plans.flatMap((plan) => plan.turns),
  );
}

/** Locks the sessions in key order; a session without a turn under way starts the first of the batch's turns. */
async function settleSessions(tx: EntityManager, plans: Plan[]): Promise<void> {
  const wanted = plans
    .filter((plan) => plan.decision.sessionKey !== null)
    .map((plan) => ({ plan, key: plan.decision.sessionKey ?? '', turn: plan.turns.at(-1) as TurnRow }));
  if (wanted.length === 0) return;
  const firstOf = new Map<string, (typeof wanted)[number]>();
  for (const entry of wanted) if (!firstOf.has(entry.key)) firstOf.set(entry.key, entry);
  const firsts = [...firstOf.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  const column = <T>(of: (entry: (typeof firsts)[number]) => T): T[] => firsts.map(of);
  const rows = (await tx.query(
    `INSERT INTO router.session AS s (id, organization_id, project_id, app_id, key, current_turn_id, epoch, created_at, updated_at)
     SELECT *, 1, now(), now() FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
     ON CONFLICT (key) DO UPDATE SET updated_at = now(),
       epoch = s.epoch + CASE WHEN s.current_turn_id IS NULL THEN 1 ELSE 0 END,
       current_turn_id = coalesce(s.current_turn_id, excluded.current_turn_id)
     RETURNING id, key, current_turn_id, epoch`,
    [
      column(() => newId('ses')),
      column((entry) => entry.plan.message.organization_id),
      column((entry) => entry.plan.message.project_id),
      column((entry) => entry.plan.message.app_id),
      column((entry) => entry.key),
      column((entry) => entry.turn.id),
    ],
  )) as { id: string; key: string; current_turn_id: string; epoch: number }[];
  const sessions = new Map(rows.map((row) => [row.key, row]));
  const waiting: { session: string; turn: string }[] = [];
  for (const { key, turn } of wanted) {
    const session = sessions.get(key);
    if (!session) throw new Error(`the session ${key} was not returned`);
    turn.session_id = session.id;
    turn.epoch = session.epoch;
    if (session.current_turn_id === turn.id) turn.state = 'open';
    else waiting.push({ session: session.id, turn: turn.id });
  }
  if (waiting.length > 0) {
    await tx.query(
      'INSERT INTO router.session_inbox (session_id, turn_id) SELECT * FROM unnest($1::text[], $2::text[])',
      [waiting.map((entry) => entry.session), waiting.map((entry) => entry.turn)],
    );
  }
}

async function insertMessages(tx: EntityManager, messages: MessageRow[]): Promise<void> {
  const column = <T>(of: (message: MessageRow) => T): T[] => messages.map(of);
  await tx.query(
    `INSERT INTO router.message (id, organization_id, project_id, app_id, receipt_id, verified, message, outcome, reason,
       verdicts, created_at)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::jsonb[],
       $8::text[], $9::text[], $10::jsonb[], $11::timestamptz[])`,
    [
      column((message) => message.id),
      column((message) => message.organization_id),
      column((message) => message.project_id),
      column((message) => message.app_id),
      column((message) => message.receipt_id),
      column((message) => message.verified),
      column((message) => storable(message.message)),
      column((message) => message.outcome),
      column((message) => message.reason),
      column((message) => JSON.stringify(message.verdicts)),
      column((message) => message.created_at),
    ],
  );
}

async function insertRuns(tx: EntityManager, runs: RunRow[]): Promise<void> {
  if (runs.length === 0) return;
  const column = <T>(of: (run: RunRow) => T): T[] => runs.map(of);
  await tx.query(
    `INSERT INTO router.run (id, organization_id, project_id, workflow_id, trigger_id, message_id, receipt_id, replay,
       state, created_at)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::text[], $6::text[], $7::text[],
       $8::boolean[], $9::text[], $10::timestamptz[])`,
    [
      column((run) => run.id),
      column((run) => run.organization_id),
      column((run) => run.project_id),
      column((run) => run.workflow_id),
      column((run) => run.trigger_id),
      column((run) => run.message_id),
      column((run) => run.receipt_id),
      column((run) => run.replay),
      column((run) => run.state),
      column((run) => run.created_at),
    ],
  );
}

async function insertTurns(tx: EntityManager, turns: TurnRow[]): Promise<void> {
  if (turns.length === 0) return;
  const column = <T>(of: (turn: TurnRow) => T): T[] => turns.map(of);
  await tx.query(
    `INSERT INTO router.turn (id, organization_id, project_id, app_id, receipt_id, run_id, session_id, agent_id, epoch,
       input, state, woken_at, created_at)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
       $9::integer[], $10::jsonb[], $11::text[], $12::timestamptz[], $13::timestamptz[])`,
    [
      column((turn) => turn.id),
      column((turn) => turn.organization_id),
      column((turn) => turn.project_id),
      column((turn) => turn.app_id),
      column((turn) => turn.receipt_id),
      column((turn) => turn.run_id),
      column((turn) => turn.session_id),
      column((turn) => turn.agent_id),
      column((turn) => turn.epoch),
      column((turn) => storable(turn.input)),
      column((turn) => turn.state),
      column((turn) => turn.woken_at),
      column((turn) => turn.created_at),
    ],
  );
}

/** JSON that jsonb takes: PostgreSQL has no U+0000 in text, and refuses lone surrogates. */
function storable(value: unknown): string {
  const json = JSON.stringify(value);
  return /\\u0000|\\ud[89a-f]/i.test(json) ? JSON.stringify(value, (_key, entry: unknown) => cleaned(entry)) : json;
}

function cleaned(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '\uFFFD').toWellFormed() : value;
}
