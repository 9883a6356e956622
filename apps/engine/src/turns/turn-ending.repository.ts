import type { ContentTrust } from '#libs/contracts';
import { Batcher } from '#libs/batching';
import { asynchronousCommit, isRefusedRow, type Queryable, storableJson } from '#libs/database';
import { entryCtes, Journal, type JournalEntry } from '#libs/journal';
import { endSql as ended } from '#libs/work';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { lockSessions, type Started, startNext } from './start-next.js';
import { addModelUsageSql, addUsageSql } from '../usage/add-usage.js';
import type { NewStep } from '../steps/step-log.js';
import type { Claim, Turn } from '../entities/turn.entity.js';

/** Everything that a turn leaves behind. It is stored together or not at all. */
export interface TurnEnding extends Claim {
  /** Null when the turn has no session. */
  session_id: string | null;
  organization_id: string;
  project_id: string;
  reply_text: string;
  /** The answer as a value; null: none was asked for. */
  output: Record<string, unknown> | null;
  /** What the reply lacks, or why there is none. */
  reason: string | null;
  steps: number;
  tokens: number;
  cost_micros: number;
  agent_id: string;
  /** Null: no agent took part. */
  agent_version: number | null;
  /** Empty when the sender is no contact. */
  contact_id: string;
  /** Of what it brought into its conversation. */
  content_trust: ContentTrust;
  /** Steps that are not stored yet. */
  new_steps: NewStep[];
  /** The delivery of its reply; null when it sends none. */
  answer_id: string | null;
}

// One statement, so one transaction: turn, steps and reply of each ending whose claim still holds the lease.
const endSql = `
  WITH ending AS (
    SELECT x.* FROM ${asynchronousCommit}, jsonb_to_recordset($1::jsonb) AS x(turn_id text, claim integer, organization_id text,
      project_id text, reply_text text, output jsonb, reason text, steps integer, tokens integer,
      cost_micros integer, agent_id text, agent_version integer, contact_id text, content_trust text, new_steps jsonb, answer_id text)),
  ended AS (
    UPDATE engine.turn t SET ${ended('succeeded')}, reply_text = e.reply_text, output = e.output, steps = e.steps,
           answer_id = e.answer_id, reply = CASE WHEN e.answer_id IS NULL THEN 'none' ELSE 'sent' END, reason = e.reason,
           blocked_since = NULL, agent_version = e.agent_version,
           content_trust = e.content_trust, tokens = e.tokens, cost_micros = e.cost_micros
      FROM ending e
     WHERE t.id = e.turn_id AND t.claim = e.claim AND t.state = 'running'
    RETURNING t.id),
  stepped AS (
    INSERT INTO engine.step (turn_id, seq, kind, content, tokens, duration_ms)
    SELECT e.turn_id, s.seq, s.kind, s.content, s.tokens, s.duration_ms
      FROM ending e JOIN ended ON ended.id = e.turn_id
     CROSS JOIN LATERAL jsonb_to_recordset(e.new_steps) AS s(seq integer, kind text, content jsonb, tokens integer,
           duration_ms double precision)),
  used AS (
    SELECT e.project_id, e.agent_id, e.contact_id, min(e.organization_id) AS organization_id, count(*) AS model_calls,
           0 AS tool_calls, coalesce(sum((s.spent ->> 'input_tokens')::bigint), 0) AS input_tokens,
           coalesce(sum((s.spent ->> 'output_tokens')::bigint), 0) AS output_tokens,
           coalesce(sum((s.spent ->> 'cost_micros')::bigint), 0) AS cost_micros
      FROM ending e JOIN ended ON ended.id = e.turn_id
     CROSS JOIN LATERAL jsonb_to_recordset(e.new_steps) AS s(kind text, spent jsonb)
     WHERE s.kind = 'model_call' GROUP BY e.project_id, e.agent_id, e.contact_id),
  counted AS (${addUsageSql('used')}),
  counted_models AS (${addModelUsageSql(`
    SELECT e.project_id, e.organization_id, s.kind, s.spent FROM ending e JOIN ended ON ended.id = e.turn_id
     CROSS JOIN LATERAL jsonb_to_recordset(e.new_steps) AS s(kind text, spent jsonb)`)}),
  ${entryCtes(2, 'SELECT id FROM ended')}
  SELECT id FROM ended`;

interface EndingWithEntries {
  ending: TurnEnding;
  entries: JournalEntry[];
}

/** Whether a turn ended, and which turns of its session that started. */
export interface Ended {
  ended: boolean;
  started: Started;
}

/**
 * Commits ended turns with their timeline entries and the next turn of each session. Turns that end at the same moment
 * share a commit.
 */
@Injectable()
export class TurnEndingRepository {
  private readonly endings: Batcher<EndingWithEntries, Ended>;

  constructor(
    private readonly db: DataSource,
    private readonly journal: Journal,
  ) {
    const together = { maxItems: 64, maxWaitMs: 0, maxRunning: 2, failsByItem: isRefusedRow };
    this.endings = new Batcher((endings) => this.endAll(endings), together);
  }

  /** @returns `ended` false when the lease was lost: another claim runs the turn, and nothing was stored */
  end(ending: TurnEnding, entries: JournalEntry[]): Promise<Ended> {
    return this.endings.add({ ending, entries });
  }

  private async endAll(all: EndingWithEntries[]): Promise<Ended[]> {
    const sessions = [...new Set(all.flatMap(({ ending }) => ending.session_id ?? []))];
    const { ended, started } =
      sessions.length === 0
        ? { ended: await this.store(this.db, all), started: { turns: [], collected: [] } }
        : await this.db.transaction(async (tx) => {
            await lockSessions(tx, sessions);
            return { ended: await this.store(tx, all), started: await startNext(tx, sessions) };
          });
    for (const { ending, entries } of all) {
      if (ended.has(ending.turn_id)) for (const entry of entries) this.journal.noted(entry);
    }
    return all.map(({ ending: { turn_id, session_id } }) => {
      const isOwn = (turn: Turn): boolean => session_id !== null && turn.session_id === session_id;
      const own = { turns: started.turns.filter(isOwn), collected: started.collected.filter(isOwn) };
      return { ended: ended.has(turn_id), started: own };
    });
  }

  private async store(db: Queryable, all: EndingWithEntries[]): Promise<Set<string>> {
    const told = all.flatMap(({ ending, entries }) => entries.map((entry) => this.journal.row(entry, ending.turn_id)));
    const endings = all.map(({ ending }) => ending);
    const rows = (await db.query(endSql, [storableJson(endings), storableJson(told)])) as { id: string }[];
    return new Set(rows.map((row) => row.id));
  }
}
