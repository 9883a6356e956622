import {
  type ContentTrust,
  derivedId,
  eventAwaitedCode,
  leastTrusted,
  type TurnInput,
  type WorkflowStep,
  type WorkflowStepState,
} from '#libs/contracts';
import { type Queryable, storableJson } from '#libs/database';
import { type StepInput, stepsReadBy } from '#libs/expressions';
import { LeaseLost } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { addModelUsageSql, addUsageSql } from '../usage/day-usage.repository.js';
import { type NewStep, stepsOf } from './step-log.js';
import type { Claim, GivenToken, Step, WorkflowStepRow } from '../../entities/turn.entity.js';

/** The agent and contact that usage is counted for. */
export interface StepAccount {
  agentId: string;
  agentVersion: number;
  /** Null when the sender is no contact. */
  contactId: string | null;
}

// The storing statement also checks the claim, so a claim that has lost it stores nothing. The audit of
// calls and the usage are in the same statement, so neither exists without its step.
const appendSql = `
  WITH s AS (
    SELECT * FROM jsonb_to_recordset($3::jsonb) AS s(seq integer, kind text, content jsonb, tokens integer,
           duration_ms double precision, begun jsonb, settled jsonb, spent jsonb)),
  total AS (
    SELECT count(*) AS steps, coalesce(sum(tokens), 0) AS tokens, coalesce(sum((spent ->> 'cost_micros')::bigint), 0) AS cost FROM s),
  held AS (
    UPDATE engine.turn SET blocked_since = NULL, agent_version = $6,
           steps = turn.steps + total.steps, tokens = least(turn.tokens + total.tokens, 2147483647),
           cost_micros = least(turn.cost_micros + total.cost, 2147483647)
      FROM total WHERE id = $1 AND claim = $2 AND state = 'running'
    RETURNING id, organization_id, project_id),
  stored AS (
    INSERT INTO engine.step (turn_id, seq, kind, content, tokens, duration_ms)
    SELECT held.id, s.seq, s.kind, s.content, s.tokens, s.duration_ms FROM held CROSS JOIN s),
  begun AS (
    INSERT INTO engine.tool_call (turn_id, seq, organization_id, project_id, agent_id, call_ref, tool, source, tool_id, grade,
           arguments_sha256, outcome, code, callback_sha256, hosts, finished_at)
    SELECT held.id, s.seq, held.organization_id, held.project_id, $4, c.call_ref, c.tool, c.source, c.tool_id, c.grade,
           c.arguments_sha256, c.outcome, c.code, c.callback_sha256, c.hosts, CASE WHEN c.outcome IN ('refused', 'rehearsed') THEN now() END
      FROM held CROSS JOIN s
     CROSS JOIN LATERAL jsonb_to_record(s.begun) AS c(call_ref text, tool text, source text, tool_id text, grade text,
           arguments_sha256 text, outcome text, code text, callback_sha256 text, hosts text[])
     WHERE jsonb_typeof(s.begun) = 'object'),
  settled AS (
    UPDATE engine.tool_call t SET outcome = s.settled ->> 'outcome', code = s.settled ->> 'code', finished_at = now(),
           duration_ms = (s.settled ->> 'duration_ms')::double precision, callback_sha256 = NULL
      FROM held CROSS JOIN s
     WHERE t.turn_id = held.id AND t.seq = (s.settled ->> 'seq')::integer),
  used AS (
    SELECT project_id, organization_id, $4::text AS agent_id, $5::text AS contact_id,
           count(*) FILTER (WHERE kind = 'model_call') AS model_calls, count(*) FILTER (WHERE kind = 'tool_call') AS tool_calls,
           coalesce(sum((spent ->> 'input_tokens')::bigint), 0) AS input_tokens,
           coalesce(sum((spent ->> 'output_tokens')::bigint), 0) AS output_tokens,
           coalesce(sum((spent ->> 'cost_micros')::bigint), 0) AS cost_micros
      FROM held CROSS JOIN s WHERE kind IN ('model_call', 'tool_call') GROUP BY project_id, organization_id),
  counted AS (${addUsageSql('used')}),
  counted_models AS (${addModelUsageSql('SELECT project_id, organization_id, kind, spent FROM held CROSS JOIN s')})
  SELECT id FROM held`;

/** What turns did, step by step. */
@Injectable()
export class StepRepository {
  constructor(private readonly db: DataSource) {}

  /** Commits steps before and after a call. @returns false when the lease was lost and nothing was stored */
  async append(claim: Claim, steps: NewStep[], account: StepAccount, db: Queryable = this.db): Promise<boolean> {
    const rows = (await db.query(appendSql, [
      claim.turn_id,
      claim.claim,
      storableJson(steps),
      account.agentId,
      account.contactId ?? '',
      account.agentVersion,
    ])) as unknown[];
    return rows.length > 0;
  }

  /** The steps of a turn, in order. */
  async of(turnId: string): Promise<Step[]> {
    return (await this.db.query(`SELECT * FROM ${stepsOf('$1')} s ORDER BY seq`, [turnId])) as Step[];
  }

  /** Whether a call in flight has made a request to the engine. @param tokenHash SHA-256 of its token, in hex */
  async hasCalledBack(tokenHash: string): Promise<boolean> {
    const sql = 'SELECT 1 FROM engine.tool_call WHERE callback_sha256 = $1 AND callbacks > 0';
    return ((await this.db.query(sql, [tokenHash])) as unknown[]).length > 0;
  }

  /** Notes the access tokens that a call's code was given. */
  async noteTokens(tokenHash: string, tokens: GivenToken[]): Promise<void> {
    const sql = 'UPDATE engine.tool_call SET tokens = $2 WHERE callback_sha256 = $1';
    await this.db.query(sql, [tokenHash, JSON.stringify(tokens)]);
  }

  /** A part of a result that the model was shown shortened; null when the turn has no such result. */
  async partOfResult(turnId: string, handle: string, offset: number, chars: number): Promise<ResultPart | null> {
    const rows = (await this.db.query(
      `SELECT substr(content ->> 'full', $3::integer + 1, $4::integer) AS text, length(content ->> 'full') AS chars
         FROM engine.step WHERE turn_id = $1 AND kind = 'tool_result' AND content ->> 'handle' = $2`,
      [turnId, handle, offset, chars],
    )) as ResultPart[];
    return rows[0] ?? null;
  }
}

interface ResultPart {
  text: string;
  /** Of the whole result. */
  chars: number;
}

/** What became of a step. */
export interface StepEnd {
  state: Extract<WorkflowStepState, 'done' | 'skipped' | 'dead'>;
  output: Record<string, unknown> | null;
  content_trust: ContentTrust;
  /** Why it was skipped or failed, or what its output lacks. */
  reason: string | null;
}

/** Only the claim that has the turn ($1, $2) writes what is of it. Its row stays locked, so that no later claim is between. */
export const heldSql = `held AS (SELECT id, organization_id, project_id FROM engine.turn
   WHERE id = $1 AND claim = $2 AND state = 'running' FOR UPDATE)`;

const endColumns = `state = $4, output = $5::jsonb, content_trust = $6, reason = $7, ended_at = now(), blocked_since = NULL,
  started_at = coalesce(w.started_at, now())`;

/**
 * A step whose turn is tried again, or has failed: part of the statement that settles the turn as `settled`.
 * @param dead whether the turn has failed: an expression
 */
export const settleStepSql = (dead: string): string => `
  UPDATE engine.workflow_step w SET state = CASE WHEN ${dead} THEN 'dead' ELSE 'queued' END, reason = settled.reason,
         ended_at = CASE WHEN ${dead} THEN now() END
    FROM settled WHERE w.turn_id = settled.id AND (w.state = 'running' OR (${dead} AND w.state = 'waiting'))`;

/**
 * Opens the step with which a turn failed again, for its redrive. An agent goes on with what it did; a call is made
 * again, unless it may have had its effect.
 */
export async function reopenSteps(tx: Queryable, turnId: string): Promise<void> {
  const goesOn = `(kind = 'agent' OR reason = 'outcome_unknown' OR EXISTS (SELECT FROM engine.tool_call c
    WHERE c.turn_id = workflow_step.turn_id AND c.seq > workflow_step.after_seq AND c.outcome = 'begun'))`;
  await tx.query(
    `UPDATE engine.workflow_step SET state = 'queued', reason = NULL, output = NULL, ended_at = NULL, tries = 0,
            after_seq = CASE WHEN ${goesOn} THEN after_seq END, input = CASE WHEN ${goesOn} THEN input END
      WHERE turn_id = $1 AND state = 'dead'`,
    [turnId],
  );
}

/** The steps of runs. All that it writes, it writes under the claim of the run's turn. */
@Injectable()
export class WorkflowStepRepository {
  constructor(private readonly db: DataSource) {}

  /** The steps of a turn in order, stored if they are not yet. @throws LeaseLost */
  async open(claim: Claim, steps: readonly WorkflowStep[]): Promise<WorkflowStepRow[]> {
    const declared = steps.map(({ name, kind }, position) => ({
      id: derivedId('stp', claim.turn_id, String(position)),
      position,
      name,
      kind,
    }));
    const rows = (await this.db.query(
      `WITH ${heldSql},
       stored AS (
         INSERT INTO engine.workflow_step (id, turn_id, position, organization_id, project_id, name, kind)
         SELECT s.id, held.id, s.position, held.organization_id, held.project_id, s.name, s.kind
           FROM held CROSS JOIN jsonb_to_recordset($3::jsonb) AS s(id text, position integer, name text, kind text)
         ON CONFLICT (id) DO NOTHING RETURNING *)
       SELECT * FROM (SELECT * FROM stored UNION ALL
         SELECT w.* FROM engine.workflow_step w JOIN held ON held.id = w.turn_id) rows ORDER BY position`,
      [claim.turn_id, claim.claim, storableJson(declared)],
    )) as WorkflowStepRow[];
    if (rows.length === 0) throw new LeaseLost('the lease was lost');
    return rows;
  }

  /** @throws LeaseLost */
  begin(
    claim: Claim,
    { position }: WorkflowStepRow,
    state: 'running' | 'waiting',
    input: Record<string, unknown>,
  ): Promise<WorkflowStepRow> {
    return this.write(
      claim,
      `state = $4, claim = $2, tries = w.tries + 1, input = coalesce(w.input, $5::jsonb), reason = CASE w.kind WHEN 'wait' THEN '${eventAwaitedCode}' END,
       started_at = coalesce(w.started_at, now()), blocked_since = CASE w.kind WHEN 'wait' THEN now() END,
       after_seq = coalesce(w.after_seq, (SELECT coalesce(max(seq), 0) FROM engine.step WHERE turn_id = $1))`,
      [position, state, storableJson(input)],
    );
  }

  /** @throws LeaseLost */
  end(
    claim: Claim,
    { position }: WorkflowStepRow,
    { state, output, content_trust, reason }: StepEnd,
    db: Queryable = this.db,
  ): Promise<WorkflowStepRow> {
    const stored = output === null ? null : storableJson(output);
    return this.write(claim, endColumns, [position, state, stored, content_trust, reason], db);
  }

  /** The steps of a turn, in order. */
  async ofTurn(turnId: string): Promise<WorkflowStepRow[]> {
    const sql = 'SELECT * FROM engine.workflow_step WHERE turn_id = $1 ORDER BY position';
    return (await this.db.query(sql, [turnId])) as WorkflowStepRow[];
  }

  private async write(
    claim: Claim,
    set: string,
    parameters: unknown[],
    db: Queryable = this.db,
  ): Promise<WorkflowStepRow> {
    const [row] = (await db.query(
      `WITH ${heldSql},
       written AS (UPDATE engine.workflow_step w SET ${set} FROM held WHERE w.turn_id = held.id AND w.position = $3 RETURNING w.*)
       SELECT * FROM written`,
      [claim.turn_id, claim.claim, ...parameters],
    )) as WorkflowStepRow[];
    if (!row) throw new LeaseLost('the lease was lost');
    return row;
  }
}

/** What the expressions of a step may read: the message, and what the steps before it gave. */
export function stepInputOf(
  { message, verified }: Pick<TurnInput, 'message' | 'verified'>,
  before: readonly WorkflowStepRow[],
): StepInput {
  return {
    event: {
      type: message.event_type,
      sender: message.sender,
      message: message.message,
      thread_id: message.thread_id ?? '',
      is_dm: message.is_dm ?? false,
      verified,
    },
    metadata: message.metadata ?? {},
    steps: Object.fromEntries(
      before.flatMap(({ name, state, output }) => (state === 'done' && output ? [[name, output]] : [])),
    ),
  };
}

/** Of all that steps gave. */
export function trustOfSteps(rows: readonly WorkflowStepRow[]): ContentTrust {
  return leastTrusted(...rows.map(({ content_trust }) => content_trust));
}

/** Whether the step on which it depends answered as it wants. */
export function isWanted({ only_if: condition }: WorkflowStep, before: readonly WorkflowStepRow[]): boolean {
  if (!condition) return true;
  const asked = before.find(({ name }) => name === condition.step);
  return asked?.state === 'done' && asked.output?.['is'] === condition.is;
}

/**
 * What steps gave, by name, for those who go on from it: an agent, or a person who decides.
 * @param maxChars of each as JSON; of a longer one its beginning
 */
export function resultsOf(rows: readonly WorkflowStepRow[], maxChars: number): Record<string, unknown> | null {
  const given = rows.flatMap(({ name, state, output }): [name: string, given: unknown][] => {
    if (state !== 'done' || output === null) return [];
    const text = JSON.stringify(output);
    if (text.length <= maxChars) return [[name, output]];
    return [[name, `${text.slice(0, maxChars).toWellFormed()} […] (${text.length - maxChars} characters left out)`]];
  });
  return given.length === 0 ? null : Object.fromEntries(given);
}

/**
 * How far the arguments of a call are trusted. Whoever wrote the workflow chose the call, but what its expressions read
 * may be anybody's.
 * @param message of the message
 */
export function trustOfArguments(
  { arguments: given }: WorkflowStep,
  message: ContentTrust,
  before: readonly WorkflowStepRow[],
): ContentTrust {
  const names = stepsReadBy(given);
  return names === null ? 'own' : leastTrusted(message, trustOfSteps(before.filter(({ name }) => names.has(name))));
}
