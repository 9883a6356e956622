import { attentionAtMost, type ProjectScope } from '#libs/contracts';
import type { Failure } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

interface WaitingManifest {
  adapter_id: string;
  slug: string;
  number: number;
  since: Date;
}

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

interface FailingSource {
  id: string;
  name: string;
  failure: Failure;
}

@Injectable()
export class AttentionRepository {
  constructor(private readonly db: DataSource) {}

  /** The last manifest of each adapter, if it was never put in force. */
  async waitingManifests({ organizationId, projectId }: ProjectScope): Promise<WaitingManifest[]> {
    return (await this.db.query(
      `SELECT a.id AS adapter_id, a.slug, v.number, v.created_at AS since FROM gateway.adapter a
         JOIN LATERAL (SELECT number, activated_at, created_at FROM gateway.manifest_version
                        WHERE adapter_id = a.id ORDER BY number DESC LIMIT 1) v ON v.activated_at IS NULL
        WHERE a.organization_id = $1 AND a.project_id = $2 ORDER BY a.id LIMIT $3`,
      [organizationId, projectId, attentionAtMost],
    )) as WaitingManifest[];
  }

  /** Sources whose last sync was incomplete, or whose documents the engine does not take. */
  async failingSources({ organizationId, projectId }: ProjectScope): Promise<FailingSource[]> {
    return (await this.db.query(
      `SELECT id, name, coalesce(sync_failure, feed_failure) AS failure FROM gateway.source
        WHERE organization_id = $1 AND project_id = $2 AND coalesce(sync_failure, feed_failure) IS NOT NULL
          AND state = 'active' ORDER BY id LIMIT $3`,
      [organizationId, projectId, attentionAtMost],
    )) as FailingSource[];
  }

  /**
   * Connections of which all or a part has brought nothing for as long as a person should know, and gaps of the last days.
   * @param afterMs a provider or process that was only restarted is none of them
   */
  async connections({ organizationId, projectId }: ProjectScope, afterMs: number): Promise<TroubledConnection[]> {
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
