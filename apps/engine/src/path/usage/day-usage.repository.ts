import { asynchronousCommit, type Queryable } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface DayUse {
  tokens: number;
  costMicros: number;
}

export interface Account {
  projectId: string;
  agentId: string;
  contactId: string | null;
}

/** What an account has used today, and what other turns that run may still use. */
export interface DayState {
  used: { all: DayUse; contact: DayUse };
  held: { all: DayUse; contact: DayUse };
}

/** What accounts have used today, and reservations of what is left. One transaction at a time decides for an agent, on whichever replica. */
@Injectable()
export class DayUsageRepository {
  constructor(private readonly db: DataSource) {}

  /** An agent's usage today, in total and for one contact. */
  async today(projectId: string, agentId: string, contactId: string | null): Promise<{ all: DayUse; contact: DayUse }> {
    const rows = (await this.db.query(todaySql, [projectId, agentId, contactId ?? ''])) as Record<string, string>[];
    return useOf(rows[0]);
  }

  /** @param decide says from the state of the day what to reserve; null: nothing, and nothing is changed */
  async hold(turnId: string, account: Account, decide: (day: DayState) => DayUse | null): Promise<void> {
    const { projectId, agentId, contactId } = account;
    await this.db.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`budget-${projectId}-${agentId}`]);
      const use = decide(await stateOf(tx, turnId, account));
      if (!use) return;
      await tx.query(
        `INSERT INTO engine.budget_hold (turn_id, project_id, agent_id, contact_id, tokens, cost_micros)
         SELECT $1, $2, $3, $4, $5, $6 FROM ${asynchronousCommit}
         ON CONFLICT (turn_id) DO UPDATE SET tokens = excluded.tokens, cost_micros = excluded.cost_micros`,
        [turnId, projectId, agentId, contactId ?? '', whole(use.tokens), whole(use.costMicros)],
      );
    });
  }

  async release(turnId: string): Promise<void> {
    await this.db.query('DELETE FROM engine.budget_hold WHERE turn_id = $1', [turnId]);
  }
}

async function stateOf(tx: Queryable, turnId: string, { projectId, agentId, contactId }: Account): Promise<DayState> {
  await tx.query(
    `DELETE FROM engine.budget_hold h WHERE h.project_id = $1 AND h.agent_id = $2
        AND NOT EXISTS (SELECT FROM engine.turn t WHERE t.id = h.turn_id AND t.state = 'running')`,
    [projectId, agentId],
  );
  const used = (await tx.query(todaySql, [projectId, agentId, contactId ?? ''])) as Record<string, string>[];
  const held = (await tx.query(
    `SELECT coalesce(sum(tokens), 0) AS tokens, coalesce(sum(cost_micros), 0) AS cost,
            coalesce(sum(tokens) FILTER (WHERE contact_id = $3), 0) AS contact_tokens,
            coalesce(sum(cost_micros) FILTER (WHERE contact_id = $3), 0) AS contact_cost
       FROM engine.budget_hold WHERE project_id = $1 AND agent_id = $2 AND turn_id <> $4`,
    [projectId, agentId, contactId ?? '', turnId],
  )) as Record<string, string>[];
  return { used: useOf(used[0]), held: useOf(held[0]) };
}

/** Infinity: of what no limit bounds. */
function whole(amount: number): number {
  return Number.isFinite(amount) ? Math.ceil(amount) : 0;
}

/** Today's usage of agent `$2` in project `$1`, in total and for contact `$3`; `useOf` reads its row. */
export const todaySql = `
  SELECT coalesce(sum(input_tokens + output_tokens), 0) AS tokens, coalesce(sum(cost_micros), 0) AS cost,
         coalesce(sum(input_tokens + output_tokens) FILTER (WHERE contact_id = $3), 0) AS contact_tokens,
         coalesce(sum(cost_micros) FILTER (WHERE contact_id = $3), 0) AS contact_cost
    FROM engine.usage WHERE project_id = $1 AND day = (now() AT TIME ZONE 'utc')::date AND agent_id = $2`;

export function useOf(row: Record<string, string> | undefined): { all: DayUse; contact: DayUse } {
  const number = (name: string): number => Number(row?.[name] ?? 0);
  return {
    all: { tokens: number('tokens'), costMicros: number('cost') },
    contact: { tokens: number('contact_tokens'), costMicros: number('contact_cost') },
  };
}

/**
 * Adds rows of {project_id, organization_id, agent_id, contact_id, model_calls, tool_calls, input_tokens,
 * output_tokens, cost_micros}, one per agent and contact, to today's usage. Turns without usage (of the rehearsal
 * model) write nothing.
 * @param from a CTE of the statement; always from code, never from input
 */
export function addUsageSql(from: string): string {
  return `
    INSERT INTO engine.usage AS u (project_id, day, agent_id, contact_id, organization_id, model_calls, tool_calls,
           input_tokens, output_tokens, cost_micros)
    SELECT project_id, (now() AT TIME ZONE 'utc')::date, agent_id, contact_id, organization_id, model_calls, tool_calls,
           input_tokens, output_tokens, cost_micros
      FROM ${from} WHERE input_tokens + output_tokens + tool_calls > 0
     ORDER BY project_id, agent_id, contact_id
    ON CONFLICT (project_id, day, agent_id, contact_id) DO UPDATE SET
           model_calls = u.model_calls + excluded.model_calls, tool_calls = u.tool_calls + excluded.tool_calls,
           input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens,
           cost_micros = u.cost_micros + excluded.cost_micros`;
}

/**
 * Adds model calls to today's usage of their models.
 * @param from a query of {project_id, organization_id, kind, spent}, one row per step; always from code, never from
 *   input
 */
export function addModelUsageSql(from: string): string {
  const sum = (name: string): string => `coalesce(sum((spent ->> '${name}')::bigint), 0)`;
  return `
    INSERT INTO engine.model_usage AS u (project_id, day, model, organization_id, model_calls, input_tokens, output_tokens,
           cost_micros)
    SELECT project_id, (now() AT TIME ZONE 'utc')::date, spent ->> 'model', min(organization_id), count(*),
           ${sum('input_tokens')}, ${sum('output_tokens')}, ${sum('cost_micros')}
      FROM (${from}) AS steps WHERE kind = 'model_call' AND spent ->> 'model' IS NOT NULL
     GROUP BY project_id, spent ->> 'model' HAVING ${sum('input_tokens')} + ${sum('output_tokens')} > 0
     ORDER BY project_id, spent ->> 'model'
    ON CONFLICT (project_id, day, model) DO UPDATE SET model_calls = u.model_calls + excluded.model_calls,
           input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens,
           cost_micros = u.cost_micros + excluded.cost_micros`;
}
