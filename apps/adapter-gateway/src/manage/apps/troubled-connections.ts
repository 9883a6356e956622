import { attentionAtMost, type ProjectScope } from '#libs/contracts';
import { Database } from '#libs/database';
import { Injectable } from '@nestjs/common';

/** Of an App whose provider is asked for its events. */
export interface TroubledConnection {
  app_id: string;
  state: string;
  reason: string | null;
  error_detail: string | null;
  since: Date;
  gap: { reason: string; since?: string; until?: string } | null;
  /** It brings nothing. */
  failing: boolean;
  /** A part of it brings nothing. */
  degraded: { error: string; message: string; since: string } | null;
}

/** Apps that hear nothing, or only a part, where their provider is asked for its events. */
@Injectable()
export class TroubledConnections {
  constructor(private readonly db: Database) {}

  /**
   * Connections of which all or a part has brought nothing for as long as a person should know, and gaps of the last days.
   * @param afterMs a provider or process that was only restarted is none of them
   */
  async ofProject({ organizationId, projectId }: ProjectScope, afterMs: number): Promise<TroubledConnection[]> {
    return (await this.db.query(
      `SELECT * FROM (
         SELECT app_id, reason, error_detail, state, coalesce(answered_at, created_at) AS since,
                CASE WHEN (gap ->> 'until')::timestamptz > now() - interval '3 days' THEN gap END AS gap,
                reason IS NOT NULL AND (state = 'dead'
                  OR coalesce(answered_at, created_at) < now() - $3::float8 * interval '1 millisecond') AS failing,
                CASE WHEN state = 'running' AND connected_at IS NOT NULL
                      AND (degraded ->> 'since')::timestamptz <= now() - $3::float8 * interval '1 millisecond'
                     THEN degraded END AS degraded
           FROM gateway.held_connection WHERE organization_id = $1 AND project_id = $2) c
        WHERE failing OR gap IS NOT NULL OR degraded IS NOT NULL ORDER BY app_id LIMIT $4`,
      [organizationId, projectId, afterMs, attentionAtMost],
    )) as TroubledConnection[];
  }
}
