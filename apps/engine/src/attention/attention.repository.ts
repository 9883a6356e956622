import type { AttentionItem } from '#libs/contracts';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** What a project's agents need a person for. */
@Injectable()
export class AttentionRepository {
  constructor(private readonly db: DataSource) {}

  async of({ organizationId, projectId }: Pick<Principal, 'organizationId' | 'projectId'>): Promise<AttentionItem[]> {
    const [pending] = (await this.db.query(
      `SELECT count(*)::integer AS count, min(created_at) AS since, min(expires_at) AS until FROM engine.approval
        WHERE organization_id = $1 AND project_id = $2 AND state = 'pending' AND expires_at > now()`,
      [organizationId, projectId],
    )) as { count: number; since: Date | null; until: Date | null }[];
    if (!pending || pending.count === 0) return [];
    const { count, since, until } = pending;
    return [
      {
        code: 'approvals_pending',
        severity: 'warning',
        text: `${count} tool ${count === 1 ? 'call waits' : 'calls wait'} for approval, the first until ${until?.toISOString()}.`,
        what_to_do: 'Approve or refuse each.',
        resource: { kind: 'approvals', id: null },
        count,
        since: since?.toISOString() ?? null,
        scope: 'agents:read',
      },
    ];
  }
}
