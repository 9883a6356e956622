import { columnsOf, type ProjectScope, type TurnInput } from '#libs/contracts';
import { Database, storableJson } from '#libs/database';
import { LeaseLost } from '#libs/work';
import { Injectable } from '@nestjs/common';
import type { TranscriptRow } from '../../entities/transcript.entity.js';
import type { Claim } from '../../entities/turn.entity.js';
import { addModelUsageSql, addUsageSql } from '../usage/day-usage.repository.js';

export type NewTranscript = Omit<TranscriptRow, 'project_id' | 'organization_id' | 'created_at'>;

/** Words of audio files, and the turns that have them. */
@Injectable()
export class TranscriptRepository {
  constructor(private readonly db: Database) {}

  async find({ organizationId, projectId }: ProjectScope, sha256: string): Promise<TranscriptRow | null> {
    const sql = 'SELECT * FROM engine.transcript WHERE project_id = $1 AND file_sha256 = $2 AND organization_id = $3';
    return ((await this.db.query(sql, [projectId, sha256, organizationId])) as TranscriptRow[])[0] ?? null;
  }

  /**
   * Stores what was heard, with what it cost. Of several that heard the same file, the first is kept; each of them has
   * cost something.
   * @param by the agent whose turn it was for, and the contact; null: its sender is none
   */
  async keep(owner: ProjectScope, heard: NewTranscript, by: { agentId: string; contactId: string | null }) {
    const row = { ...columnsOf(owner), ...heard };
    const spent = {
      model: heard.model,
      input_tokens: 0,
      output_tokens: 0,
      cost_micros: heard.cost_micros,
      audio_seconds: Math.ceil(heard.seconds ?? 0),
    };
    const [kept] = (await this.db.query(
      `WITH given AS (SELECT * FROM jsonb_populate_record(NULL::engine.transcript, $1::jsonb)),
       stored AS (
         INSERT INTO engine.transcript (project_id, file_sha256, organization_id, name, media_type, bytes, text, model, seconds,
                cost_micros)
         SELECT project_id, file_sha256, organization_id, name, media_type, bytes, text, model, seconds, cost_micros FROM given
         ON CONFLICT (project_id, file_sha256) DO NOTHING RETURNING text, model, seconds),
       used AS (
         SELECT project_id, organization_id, $2::text AS agent_id, $3::text AS contact_id, 1 AS model_calls, 0 AS tool_calls,
                0 AS input_tokens, 0 AS output_tokens, cost_micros FROM given),
       counted AS (${addUsageSql('used')}),
       counted_models AS (${addModelUsageSql("SELECT project_id, organization_id, 'model_call' AS kind, $4::jsonb AS spent FROM given")})
       SELECT * FROM stored UNION ALL
       SELECT text, model, seconds FROM engine.transcript t
        WHERE (t.project_id, t.file_sha256) = (SELECT project_id, file_sha256 FROM given) LIMIT 1`,
      [storableJson(row), by.agentId, by.contactId ?? '', JSON.stringify(spent)],
    )) as Pick<TranscriptRow, 'text' | 'model' | 'seconds'>[];
    return kept ?? heard;
  }

  /** The turn has the words from now on, in its later claims and for later turns. @throws LeaseLost */
  async give({ turn_id, claim }: Claim, input: TurnInput): Promise<void> {
    const sql = `UPDATE engine.turn SET input = $3::jsonb WHERE id = $1 AND claim = $2 AND state = 'running' RETURNING id`;
    const [rows] = (await this.db.query(sql, [turn_id, claim, storableJson(input)])) as [unknown[], number];
    if (rows.length === 0) throw new LeaseLost('the lease was lost');
  }
}
