import { storableJson } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { addModelUsageSql, addUsageSql } from '../usage/day-usage.repository.js';
import type { NewStep } from './step-log.js';
import type { Claim, GivenToken, Step } from '../../entities/turn.entity.js';

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
  async append(claim: Claim, steps: NewStep[], account: StepAccount): Promise<boolean> {
    const rows = (await this.db.query(appendSql, [
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
    return (await this.db.query('SELECT * FROM engine.step WHERE turn_id = $1 ORDER BY seq', [turnId])) as Step[];
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
