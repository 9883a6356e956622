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
  /** The project has a limit of its own, so all its turns decide one after another. */
  ofProject: boolean;
  /** A limit of the month holds: otherwise the rows of its other days are not read. */
  ofMonth: boolean;
}

/** The times that limits are for, in UTC. */
export const spans = ['day', 'month'] as const;
export type Span = (typeof spans)[number];
/** Of a month that no limit asks for, as much as of the day. */
export type UsedParts = Record<Span, DayParts>;

/** What an account has used today and in this month, and what other turns that run may still use. */
export interface DayState {
  used: UsedParts;
  held: DayParts;
}

/** Of an agent, in total and for one contact, and of all agents of the project; that is 0 where no limit asks for it. */
export interface DayParts {
  all: DayUse;
  contact: DayUse;
  project: DayUse;
}

/** What accounts have used, and reservations of what is left. One transaction at a time decides for an agent, on whichever replica. */
@Injectable()
export class DayUsageRepository {
  constructor(private readonly db: DataSource) {}

  /** What is used today, and in this month. */
  used(account: Account): Promise<UsedParts> {
    return usedBy(this.db, account);
  }

  /**
   * @param by a turn, whose reservation counts while it runs; or the id of anything else, for so long
   * @param decide says from the state of the day what to reserve; null: nothing, and nothing is changed
   */
  async hold(
    by: string | { id: string; forMs: number },
    account: Account,
    decide: (day: DayState) => DayUse | null,
  ): Promise<void> {
    const { projectId, agentId, contactId, ofProject } = account;
    const { id, forMs } = typeof by === 'string' ? { id: by, forMs: null } : by;
    await this.db.transaction(async (tx) => {
      if (ofProject) await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`budget-${projectId}`]);
      await tx.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`budget-${projectId}-${agentId}`]);
      const use = decide(await stateOf(tx, id, account));
      if (!use) return;
      await tx.query(
        `INSERT INTO engine.budget_hold (turn_id, project_id, agent_id, contact_id, tokens, cost_micros, until)
         SELECT $1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7) FROM ${asynchronousCommit}
         ON CONFLICT (turn_id) DO UPDATE SET tokens = excluded.tokens, cost_micros = excluded.cost_micros`,
        [
          id,
          projectId,
          agentId,
          contactId ?? '',
          whole(use.tokens),
          whole(use.costMicros),
          forMs === null ? null : forMs / 1_000,
        ],
      );
    });
  }

  async release(id: string): Promise<void> {
    await this.db.query('DELETE FROM engine.budget_hold WHERE turn_id = $1', [id]);
  }
}

async function usedBy(db: Queryable, account: Account): Promise<UsedParts> {
  const { projectId, agentId, contactId, ofProject, ofMonth } = account;
  const rows = (await db.query(usedSql, [projectId, agentId, contactId ?? '', ofProject, ofMonth])) as (Row & {
    today: boolean;
  })[];
  return { day: partsOf(rows.find(({ today }) => today)), month: partsOf(rows.find(({ today }) => !today)) };
}

async function stateOf(tx: Queryable, turnId: string, account: Account): Promise<DayState> {
  const { projectId, agentId, contactId, ofProject } = account;
  await tx.query(
    `DELETE FROM engine.budget_hold h WHERE h.project_id = $1 AND (h.agent_id = $2 OR $3)
        AND CASE WHEN h.until IS NULL
                 THEN NOT EXISTS (SELECT FROM engine.turn t WHERE t.id = h.turn_id AND t.state = 'running')
                 ELSE h.until < now() END`,
    [projectId, agentId, ofProject],
  );
  const used = await usedBy(tx, account);
  const [held] = (await tx.query(
    `SELECT ${sumsSql('tokens', 'cost_micros')}
       FROM engine.budget_hold WHERE project_id = $1 AND (agent_id = $2 OR $4) AND turn_id <> $5`,
    [projectId, agentId, contactId ?? '', ofProject, turnId],
  )) as Row[];
  return { used, held: partsOf(held) };
}

/** Infinity: of what no limit bounds. */
function whole(amount: number): number {
  return Number.isFinite(amount) ? Math.ceil(amount) : 0;
}

type Row = Record<string, string>;

/** The sums that `partsOf` reads, of agent `$2`, of contact `$3` with it, and of the project where `$4`. */
function sumsSql(tokens: string, cost: string): string {
  const sum = (what: string, name: string, filter: string): string =>
    `coalesce(sum(${what}) FILTER (WHERE ${filter}), 0) AS ${name}`;
  const parts = { all: 'agent_id = $2', contact: 'agent_id = $2 AND contact_id = $3', project: '$4' };
  return Object.entries(parts)
    .flatMap(([part, filter]) => [sum(tokens, `${part}_tokens`, filter), sum(cost, `${part}_cost`, filter)])
    .join(', ');
}

const today = "(now() AT TIME ZONE 'utc')::date";

/** A row for today and one for the month with today in it; where no limit asks for the month, both are of today. */
const usedSql = `
  SELECT span.today, ${sumsSql('input_tokens + output_tokens', 'cost_micros')}
    FROM engine.usage
    JOIN (VALUES (true), (false)) AS span(today) ON NOT span.today OR day = ${today}
   WHERE project_id = $1 AND (agent_id = $2 OR $4) AND day <= ${today}
     AND day >= CASE WHEN $5 THEN date_trunc('month', ${today})::date ELSE ${today} END
   GROUP BY span.today`;

function partsOf(row: Row | undefined): DayParts {
  const of = (part: keyof DayParts): DayUse => ({
    tokens: Number(row?.[`${part}_tokens`] ?? 0),
    costMicros: Number(row?.[`${part}_cost`] ?? 0),
  });
  return { all: of('all'), contact: of('contact'), project: of('project') };
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
      FROM ${from} WHERE input_tokens + output_tokens + tool_calls + cost_micros > 0
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
           cost_micros, audio_seconds)
    SELECT project_id, (now() AT TIME ZONE 'utc')::date, spent ->> 'model', min(organization_id), count(*),
           ${sum('input_tokens')}, ${sum('output_tokens')}, ${sum('cost_micros')}, ${sum('audio_seconds')}
      FROM (${from}) AS steps WHERE kind = 'model_call' AND spent ->> 'model' IS NOT NULL
     GROUP BY project_id, spent ->> 'model' HAVING ${['input_tokens', 'output_tokens', 'cost_micros', 'audio_seconds'].map(sum).join(' + ')} > 0
     ORDER BY project_id, spent ->> 'model'
    ON CONFLICT (project_id, day, model) DO UPDATE SET model_calls = u.model_calls + excluded.model_calls,
           input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens,
           cost_micros = u.cost_micros + excluded.cost_micros,
           audio_seconds = u.audio_seconds + excluded.audio_seconds`;
}
