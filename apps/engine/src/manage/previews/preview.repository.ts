import type { ProjectScope } from '#libs/contracts';
import { storableJson } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { TurnPreviewRow } from '../../entities/turn.entity.js';

/** A preview of a followed session; `text` and `tools` are null where the reader has this version. */
export type FoundPreview = Omit<TurnPreviewRow, 'text' | 'tools'> & { text: string | null; tools: string[] | null };

/** The previews that those who follow elsewhere read. */
@Injectable()
export class PreviewRepository {
  constructor(private readonly db: DataSource) {}

  /** Previews of turns that are being worked on. @param known versions that the reader has */
  async of(
    sessionIds: string[],
    known: Pick<TurnPreviewRow, 'turn_id' | 'claim' | 'version'>[],
  ): Promise<FoundPreview[]> {
    return (await this.db.query(
      `SELECT p.turn_id, p.session_id, p.claim, p.version, p.step,
              CASE WHEN k.turn_id IS NULL THEN p.tools END AS tools, CASE WHEN k.turn_id IS NULL THEN p.text END AS text
         FROM engine.turn_preview p JOIN engine.turn t ON t.id = p.turn_id
         LEFT JOIN jsonb_to_recordset($2::jsonb) AS k(turn_id text, claim integer, version integer)
              ON k.turn_id = p.turn_id AND k.claim = p.claim AND k.version = p.version
        WHERE p.session_id = ANY($1) AND t.state IN ('queued', 'running')`,
      [sessionIds, storableJson(known)],
    )) as FoundPreview[];
  }

  /** An App's turns that are being worked on, whose answers go to these addresses; without a word yet, the text is empty. */
  async toAddresses(
    { organizationId, projectId }: ProjectScope,
    appId: string,
    addresses: string[],
  ): Promise<{ turn_id: string; address: string; text: string }[]> {
    return (await this.db.query(
      `SELECT t.id AS turn_id, t.input #>> '{reply,channel_address}' AS address, coalesce(p.text, '') AS text
         FROM engine.turn t LEFT JOIN engine.turn_preview p ON p.turn_id = t.id
        WHERE t.organization_id = $1 AND t.project_id = $2 AND t.input #>> '{reply,app_id}' = $3
          AND t.input #>> '{reply,channel_address}' = ANY($4)
          AND t.state IN ('queued', 'running') AND (t.state = 'running' OR p.turn_id IS NOT NULL)`,
      [organizationId, projectId, appId, addresses],
    )) as { turn_id: string; address: string; text: string }[];
  }
}
