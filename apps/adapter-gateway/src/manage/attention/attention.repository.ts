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
}
