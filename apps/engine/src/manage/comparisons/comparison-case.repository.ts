import { Database, type Queryable } from '#libs/database';
import { type Settlement, Work } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import type { Turn } from '../../entities/turn.entity.js';
import { stepsOf } from '../../path/steps/step-log.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { type LeftMessage, leftMessageSql } from '../turns/turn-inputs.service.js';
import { addTrialTurns, type NewTrialTurn } from '../trials/trial-turn.js';
import type { CaseVerdict, Comparison, ComparisonCase } from './comparison.entity.js';

/** A call of one of the turns, with what it was answered. */
export interface ComparedCall {
  tool: string;
  /** The earlier turn did not make this call. */
  missed: boolean;
}

/** A turn of a case, with what it took. */
export type ComparedTurn = Pick<Turn, 'id' | 'state' | 'reason' | 'reply_text' | 'tokens' | 'cost_micros'> & {
  ended: boolean;
  duration_ms: number;
  calls: ComparedCall[];
};

/** A case with its turns, as far as they have begun, and the message that it is about. */
export type ComparedCase = ComparisonCase & {
  message: string | null;
  recorded: string | null;
  baseline: ComparedTurn | null;
  candidate: ComparedTurn | null;
  judging: ComparedTurn | null;
};

const turnSql = (turn: string): string => `
  (SELECT json_build_object('id', t.id, 'state', t.state, 'reason', t.reason, 'reply_text', t.reply_text, 'tokens', t.tokens,
          'cost_micros', t.cost_micros, 'ended', t.ended_at IS NOT NULL, 'duration_ms', s.duration_ms, 'calls', s.calls)
     FROM engine.turn t
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(duration_ms) FILTER (WHERE kind = 'model_call'), 0) AS duration_ms,
             coalesce(json_agg(json_build_object('tool', content ->> 'name', 'missed', content -> 'missed' IS NOT NULL) ORDER BY seq)
                      FILTER (WHERE kind = 'tool_result'), '[]') AS calls
        FROM ${stepsOf('t.id')} each) s
    WHERE t.id = k.${turn}_turn_id)`;

const comparedSql = `k.*, source.input #>> '{message,message}' AS message, ${leftMessageSql('source')},
  source.reply_text AS recorded,
  ${turnSql('baseline')} AS baseline, ${turnSql('candidate')} AS candidate, ${turnSql('judge')} AS judging
  FROM engine.comparison_case k
  LEFT JOIN engine.turn source ON source.id = k.source_turn_id AND source.project_id = k.project_id`;

/** The cases of comparisons, as rows of work. */
@Injectable()
export class ComparisonCaseRepository {
  readonly work: Work<ComparisonCase>;

  constructor(
    private readonly db: Database,
    @Inject(SETTINGS) { TURN_LEASE_MS: leaseMs }: EngineSettings,
  ) {
    this.work = new Work(db, { table: 'engine.comparison_case', leaseMs, owner: () => null });
  }

  /** In their order, at most `limit`. @param after the position of the last one of the page before */
  async list({ id, project_id }: Comparison, after: number, limit: number): Promise<(ComparedCase & LeftMessage)[]> {
    return (await this.db.query(
      `SELECT ${comparedSql} WHERE k.comparison_id = $1 AND k.project_id = $2 AND k.position > $3
        ORDER BY k.position LIMIT $4`,
      [id, project_id, after, limit],
    )) as (ComparedCase & LeftMessage)[];
  }

  async compared(id: string): Promise<ComparedCase | null> {
    return ((await this.db.query(`SELECT ${comparedSql} WHERE k.id = $1`, [id])) as ComparedCase[])[0] ?? null;
  }

  /** The turns whose messages a comparison asks. */
  async sourcesOf({ id }: Comparison): Promise<string[]> {
    const sql = 'SELECT source_turn_id FROM engine.comparison_case WHERE comparison_id = $1 ORDER BY position';
    return ((await this.db.query(sql, [id])) as { source_turn_id: string }[]).map((row) => row.source_turn_id);
  }

  async tokensOf(comparisonId: string): Promise<number> {
    const [row] = (await this.db.query(
      `SELECT coalesce(sum(t.tokens), 0)::float8 AS tokens FROM engine.comparison_case k
         JOIN engine.turn t ON t.id IN (k.baseline_turn_id, k.candidate_turn_id, k.judge_turn_id)
        WHERE k.comparison_id = $1`,
      [comparisonId],
    )) as { tokens: number }[];
    return row?.tokens ?? 0;
  }

  /**
   * Begins turns of a case and gives its claim back, in one transaction: both or neither.
   * @returns the turns; none where another claim has the case, or it was cancelled
   */
  begin(settlement: Settlement, turns: NewTrialTurn[]): Promise<Turn[]> {
    return this.db.transaction(async (tx) => {
      if (!(await this.settled(tx, settlement, null))) return [];
      return addTrialTurns(tx, turns);
    });
  }

  /** Stores what became of a case. One that has ended makes room for the next of its comparison. */
  async settle(settlement: Settlement, verdict: CaseVerdict | null): Promise<void> {
    await this.settled(this.db, settlement, verdict);
  }

  private async settled(db: Queryable, settlement: Settlement, verdict: CaseVerdict | null): Promise<boolean> {
    const rows = (await db.query(
      `WITH settled AS (${this.work.settleSql('$1', { verdict: 'jsonb' })}),
       next AS (UPDATE engine.comparison_case SET state = 'queued', due_at = now() WHERE id = (
         SELECT n.id FROM engine.comparison_case n JOIN settled s ON s.comparison_id = n.comparison_id AND s.ended_at IS NOT NULL
          WHERE n.state = 'waiting' ORDER BY n.position LIMIT 1 FOR UPDATE OF n SKIP LOCKED))
       SELECT id FROM settled`,
      [this.work.settled([{ ...settlement, verdict }])],
    )) as unknown[];
    return rows.length > 0;
  }
}
