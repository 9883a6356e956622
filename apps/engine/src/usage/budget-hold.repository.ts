import { asynchronousCommit, type Queryable } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type DayUse, todaySql, useOf } from './usage.repository.js';

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

/** Reservations of a day's budget. One transaction at a time decides for an agent, on whichever replica. */
@Injectable()
export class BudgetHoldRepository {
  constructor(private readonly db: DataSource) {}

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
