import type { AnswerRule } from '#libs/answer-rules';
import { newId, type ProjectScope } from '#libs/contracts';
import { Database, type Queryable, storableJson } from '#libs/database';
import { type KeyedRequest, once, Problem } from '#libs/service-kit';
import { endSql } from '#libs/work';
import { Inject, Injectable } from '@nestjs/common';
import type { Agent } from '../../entities/agent.entity.js';
import type { Turn } from '../../entities/turn.entity.js';
import { stepsOf } from '../../path/steps/step-log.js';
import { type EngineSettings, SETTINGS } from '../../settings.js';
import { cancelTurn } from '../turns/turn-cancellation.service.js';
import { Comparison, type Judge, type Side } from './comparison.entity.js';

/** What is compared, on which messages. */
export interface NewComparison {
  agent: Agent;
  baseline: number;
  candidate: number;
  sourceTurnIds: string[];
  rules: AnswerRule[];
  judge: Judge | null;
  maxTokens: number | null;
  madeBy: string;
}

/** What the cases of a comparison have come to. */
export interface ComparisonCounts {
  cases: number;
  open: number;
  done: number;
  ended_at: Date | null;
  preferred: Record<Side | 'tie', number>;
  /** Rules that hold, of those that were checked. */
  held: Record<Side, number>;
  checked: number;
  sides: Record<Side | 'judge', Spent>;
}

export interface Spent {
  failed: number;
  tokens: number;
  cost_micros: number;
  duration_ms: number;
  calls: number;
  missed: number;
}

export type CountedComparison = Comparison & { counts: ComparisonCounts };

const spentSql = (turn: string): string => `
  (SELECT json_build_object('failed', count(*) FILTER (WHERE t.state = 'failed'), 'tokens', coalesce(sum(t.tokens), 0),
          'cost_micros', coalesce(sum(t.cost_micros), 0), 'duration_ms', coalesce(sum(s.duration_ms), 0),
          'calls', coalesce(sum(s.calls), 0), 'missed', coalesce(sum(s.missed), 0))
     FROM engine.comparison_case k JOIN engine.turn t ON t.id = k.${turn}_turn_id
    CROSS JOIN LATERAL (
      SELECT sum(duration_ms) FILTER (WHERE kind = 'model_call') AS duration_ms,
             count(*) FILTER (WHERE kind = 'tool_result') AS calls,
             count(*) FILTER (WHERE kind = 'tool_result' AND content -> 'missed' IS NOT NULL) AS missed
        FROM ${stepsOf('t.id')} each) s
    WHERE k.comparison_id = c.id)`;

const countsSql = `
  (SELECT json_build_object('cases', count(*), 'open', count(*) FILTER (WHERE k.ended_at IS NULL),
          'done', count(*) FILTER (WHERE k.state = 'done'), 'ended_at', max(k.ended_at),
          'preferred', json_build_object(
            'baseline', count(*) FILTER (WHERE k.verdict #>> '{judge,prefers}' = 'baseline'),
            'candidate', count(*) FILTER (WHERE k.verdict #>> '{judge,prefers}' = 'candidate'),
            'tie', count(*) FILTER (WHERE k.verdict #>> '{judge,prefers}' = 'tie')),
          'held', json_build_object('baseline', coalesce(sum(r.baseline), 0), 'candidate', coalesce(sum(r.candidate), 0)),
          'checked', coalesce(sum(r.checked), 0),
          'sides', json_build_object('baseline', ${spentSql('baseline')}, 'candidate', ${spentSql('candidate')},
            'judge', ${spentSql('judge')}))
     FROM engine.comparison_case k
    CROSS JOIN LATERAL (
      SELECT count(*) AS checked, count(*) FILTER (WHERE rule ->> 'baseline' IS NULL) AS baseline,
             count(*) FILTER (WHERE rule ->> 'candidate' IS NULL) AS candidate
        FROM jsonb_array_elements(k.verdict -> 'rules') AS rule) r
    WHERE k.comparison_id = c.id)`;

/** Comparisons of two versions of an agent. */
@Injectable()
export class ComparisonRepository {
  constructor(
    private readonly db: Database,
    @Inject(SETTINGS) private readonly settings: EngineSettings,
  ) {}

  /**
   * Stores it with its cases; the first of them are due.
   * @param asked the caller's Idempotency-Key: the same key gives the same comparison
   * @throws Problem 409 `too_many_comparisons`; 410 `comparison_gone`; 422 `idempotency_key_reused`
   */
  create(wanted: NewComparison, asked: KeyedRequest | null): Promise<CountedComparison> {
    const { organization_id: organizationId, project_id: projectId, id: agentId } = wanted.agent;
    return this.db.transaction(async (tx) => {
      const { comparison_id: id } = await once(tx, 'engine', asked, () => this.store(tx, wanted));
      const made = await this.find({ organizationId, projectId }, agentId, id, tx);
      if (!made) throw new Problem(410, 'comparison_gone', 'The comparison of this key is past its retention.');
      return made;
    });
  }

  private async store(tx: Queryable, wanted: NewComparison): Promise<{ comparison_id: string }> {
    const { agent, baseline, candidate, rules, judge, maxTokens, madeBy, sourceTurnIds } = wanted;
    const { organization_id, project_id } = agent;
    await this.requireRoom(tx, project_id);
    const id = newId('cmp');
    const row = [id, organization_id, project_id, agent.id, baseline, candidate, storableJson(rules)];
    await tx.query(
      `INSERT INTO engine.comparison (id, organization_id, project_id, agent_id, baseline, candidate, rules, judge, max_tokens, made_by)
       VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb, $8::jsonb, $9, $10)`,
      [...row, judge && storableJson(judge), maxTokens, madeBy],
    );
    const cases = sourceTurnIds.map((source_turn_id, index) => ({
      id: newId('cmc'),
      position: index + 1,
      source_turn_id,
      baseline_turn_id: newId('trn'),
      candidate_turn_id: newId('trn'),
      judge_turn_id: newId('trn'),
      state: index < this.settings.COMPARISON_AT_ONCE ? 'queued' : 'waiting',
    }));
    await tx.query(
      `INSERT INTO engine.comparison_case (id, comparison_id, organization_id, project_id, position, source_turn_id,
              baseline_turn_id, candidate_turn_id, judge_turn_id, state)
       SELECT id, $2, $3, $4, position, source_turn_id, baseline_turn_id, candidate_turn_id, judge_turn_id, state
         FROM jsonb_to_recordset($1::jsonb) AS x(id text, position integer, source_turn_id text, baseline_turn_id text,
              candidate_turn_id text, judge_turn_id text, state text)`,
      [storableJson(cases), id, organization_id, project_id],
    );
    return { comparison_id: id };
  }

  /** One at a time for each project, so that two that come together do not both take the last place. */
  private async requireRoom(tx: Queryable, projectId: string): Promise<void> {
    await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('engine.comparison ' || $1, 0))", [projectId]);
    const [open] = (await tx.query(
      `SELECT count(*)::integer AS comparisons FROM engine.comparison c WHERE project_id = $1
          AND EXISTS (SELECT FROM engine.comparison_case k WHERE k.comparison_id = c.id AND k.ended_at IS NULL)`,
      [projectId],
    )) as { comparisons: number }[];
    const most = this.settings.COMPARISONS_OPEN;
    if ((open?.comparisons ?? 0) < most) return;
    const detail = `The project has ${most} open comparisons, which is the limit (COMPARISONS_OPEN): wait, or cancel one.`;
    throw new Problem(409, 'too_many_comparisons', detail);
  }

  async find(
    { organizationId, projectId }: ProjectScope,
    agentId: string,
    id: string,
    db: Queryable = this.db,
  ): Promise<CountedComparison | null> {
    const rows = (await db.query(
      `SELECT c.*, ${countsSql} AS counts FROM engine.comparison c
        WHERE id = $1 AND organization_id = $2 AND project_id = $3 AND agent_id = $4`,
      [id, organizationId, projectId, agentId],
    )) as CountedComparison[];
    return rows[0] ?? null;
  }

  byId(id: string): Promise<Comparison | null> {
    return this.db.manager.findOneBy(Comparison, { id });
  }

  /** Newest first, at most `limit`. @param before the last one of the page before; null: from the newest on */
  async list(agent: Agent, before: string | null, limit: number): Promise<CountedComparison[]> {
    return (await this.db.query(
      `SELECT c.*, ${countsSql} AS counts
         FROM (SELECT * FROM engine.comparison WHERE agent_id = $1 AND project_id = $2 AND ($3::text IS NULL OR id < $3)
                ORDER BY id DESC LIMIT $4) c ORDER BY c.id DESC`,
      [agent.id, agent.project_id, before, limit],
    )) as CountedComparison[];
  }

  /** Ends its open cases and their turns. @returns the turns that this ended */
  cancel({ id }: Comparison, by: string): Promise<Turn[]> {
    return this.db.transaction(async (tx) => {
      const ended = (await tx.query(
        `WITH ended AS (
           UPDATE engine.comparison_case SET ${endSql('cancelled')}, reason = 'cancelled'
            WHERE comparison_id = $1 AND state IN ('waiting', 'queued', 'running') RETURNING *),
         named AS (UPDATE engine.comparison SET cancelled_by = $2 WHERE id = $1 AND EXISTS (SELECT FROM ended))
         SELECT unnest(ARRAY[baseline_turn_id, candidate_turn_id, judge_turn_id]) AS turn_id FROM ended ORDER BY 1`,
        [id, by],
      )) as { turn_id: string }[];
      const turns: Turn[] = [];
      for (const { turn_id } of ended) {
        const turn = await cancelTurn(tx, turn_id);
        if (turn) turns.push(turn);
      }
      return turns;
    });
  }

  /** The newest turn of each of the agent's last conversations, newest first. */
  async lastTurns(agent: Agent, limit: number): Promise<string[]> {
    const rows = (await this.db.query(
      `SELECT t.id
         FROM (SELECT id, updated_at FROM engine.session WHERE organization_id = $1 AND project_id = $2
                ORDER BY updated_at DESC, id DESC LIMIT $5) s
        CROSS JOIN LATERAL (
          SELECT id FROM engine.turn t
           WHERE t.session_id = s.id AND t.project_id = $2 AND t.state = 'succeeded' AND t.reply_text <> ''
             AND (t.agent_id = $3 OR ($4 AND t.agent_id IS NULL))
             AND t.input -> 'limit_notice' IS NULL AND t.input -> 'rehearsal' IS NULL
           ORDER BY t.id DESC LIMIT 1) t
        ORDER BY s.updated_at DESC, s.id DESC LIMIT $6`,
      [
        agent.organization_id,
        agent.project_id,
        agent.id,
        agent.is_chief_of_staff,
        this.settings.SESSION_SEARCH_SCAN,
        limit,
      ],
    )) as { id: string }[];
    return rows.map(({ id }) => id);
  }
}
