import { AuditLog } from '#libs/audit';
import type { ProjectScope } from '#libs/contracts';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan } from 'typeorm';
import { AttentionMute } from './attention-mute.entity.js';

const hourMs = 3_600_000;

@Injectable()
export class AttentionMuteRepository {
  constructor(
    private readonly db: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /** The causes that are muted now, each with the end of that. */
  async now({ organizationId, projectId }: ProjectScope): Promise<Map<string, Date>> {
    const where = { project_id: projectId, organization_id: organizationId, muted_until: MoreThan(new Date()) };
    const rows = await this.db.manager.findBy(AttentionMute, where);
    return new Map(rows.map(({ cause, muted_until }) => [cause, muted_until]));
  }

  async set(by: Principal, cause: string, hours: number): Promise<void> {
    const muted_until = new Date(Date.now() + hours * hourMs);
    await this.db.transaction(async (tx) => {
      const row = { project_id: by.projectId, organization_id: by.organizationId, cause, muted_until };
      await tx.upsert(AttentionMute, { ...row, made_by: by.subject }, ['project_id', 'cause']);
      const change = { before: null, after: { muted_until: muted_until.toISOString() } };
      await this.audit.append(tx, by, { action: 'attention.muted', subject: cause, ...change });
    });
  }

  async clear(by: Principal, cause: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      const where = { project_id: by.projectId, organization_id: by.organizationId, cause };
      const { affected } = await tx.delete(AttentionMute, where);
      if (!affected) return;
      await this.audit.append(tx, by, { action: 'attention.unmuted', subject: cause, before: null, after: null });
    });
  }
}
