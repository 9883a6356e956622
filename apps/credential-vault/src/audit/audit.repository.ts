import { columnsOf, newId, type ProjectScope } from '#libs/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type AuditAction, CredentialAudit } from './credential-audit.entity.js';

/** One action on one credential. */
export interface AuditedUse extends ProjectScope {
  credentialId: string;
  actor: string;
  action: AuditAction;
  fields: string[];
  reason?: string | null;
  consumer?: string | null;
  times?: number;
}

@Injectable()
export class AuditRepository {
  constructor(private readonly db: DataSource) {}

  async append(uses: AuditedUse[]): Promise<void> {
    const rows = uses.map((use) => ({
      id: newId('aud'),
      ...columnsOf(use),
      credential_id: use.credentialId,
      actor: use.actor,
      action: use.action,
      fields: use.fields,
      reason: use.reason ?? null,
      consumer: use.consumer ?? null,
      times: use.times ?? 1,
    }));
    await this.db.manager.insert(CredentialAudit, rows);
  }

  knows({ organizationId, projectId }: ProjectScope, credentialId: string): Promise<boolean> {
    const row = { organization_id: organizationId, project_id: projectId, credential_id: credentialId };
    return this.db.manager.existsBy(CredentialAudit, row);
  }

  /** Newest first. */
  async list(scope: ProjectScope, credentialId: string, limit: number, cursor?: string): Promise<CredentialAudit[]> {
    const query = this.db
      .getRepository(CredentialAudit)
      .createQueryBuilder('a')
      .where('a.organization_id = :organizationId AND a.project_id = :projectId AND a.credential_id = :credentialId', {
        organizationId: scope.organizationId,
        projectId: scope.projectId,
        credentialId,
      })
      .orderBy('a.id', 'DESC')
      .limit(limit);
    if (cursor !== undefined) query.andWhere('a.id < :cursor', { cursor });
    return query.getMany();
  }
}
