import { AuditLog } from '#libs/audit';
import { columnsOf, newId } from '#libs/contracts';
import type { Scope } from '#libs/service-kit';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import { ApiKey } from '../api-keys/api-key.entity.js';
import { hashOf, newKey } from '../api-keys/key-text.js';
import { Organization } from '../organizations/organization.entity.js';
import { Project } from '../projects/project.entity.js';

export interface FirstTenant {
  organizationId: string;
  projectId: string;
}

@Injectable()
export class FirstTenantRepository implements OnApplicationBootstrap {
  constructor(private readonly db: DataSource) {}

  /** Single sign-on adds members to it, perhaps before anybody asks for a key. */
  async onApplicationBootstrap(): Promise<void> {
    await this.ensureTenant();
  }

  /** The oldest organization and project, created if missing. One process at a time does this. */
  ensureTenant(): Promise<FirstTenant> {
    return this.alone(async (manager) => {
      const organizationId = await this.organization(manager);
      return { organizationId, projectId: await this.project(manager, organizationId) };
    });
  }

  /**
   * @returns the owner's key, the only one that has approvals:manage from the start, or null when the project has a key
   */
  ensureKey(tenant: FirstTenant): Promise<string | null> {
    return this.alone(async (manager) => {
      const owner = columnsOf(tenant);
      const has = await manager.existsBy(ApiKey, { ...owner, revoked_at: IsNull() });
      return has ? null : this.key(manager, tenant, 'First key');
    });
  }

  /** Another key of the owner, for an operator who lost theirs. */
  makeKey(tenant: FirstTenant): Promise<string> {
    return this.alone((manager) => this.key(manager, tenant, "Operator's key"));
  }

  private alone<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.db.transaction(async (manager) => {
      await manager.query("SELECT pg_advisory_xact_lock(hashtext('gatehouse-bootstrap'))");
      return work(manager);
    });
  }

  private async organization(manager: EntityManager): Promise<string> {
    const [oldest] = await manager.find(Organization, { order: { id: 'ASC' }, take: 1 });
    if (oldest) return oldest.id;
    const id = newId('org');
    await manager.insert(Organization, { id, name: 'Default' });
    return id;
  }

  private async project(manager: EntityManager, organizationId: string): Promise<string> {
    const [oldest] = await manager.find(Project, {
      where: { organization_id: organizationId },
      order: { id: 'ASC' },
      take: 1,
    });
    if (oldest) return oldest.id;
    const id = newId('prj');
    await manager.insert(Project, { id, organization_id: organizationId, name: 'Default' });
    return id;
  }

  private async key(manager: EntityManager, { organizationId, projectId }: FirstTenant, name: string): Promise<string> {
    const owner = { organization_id: organizationId, project_id: projectId };
    const key = newKey();
    const texts = { name, hash: hashOf(key), last4: key.slice(-4) };
    const id = newId('key');
    const scopes: Scope[] = ['admin', 'approvals:manage'];
    await manager.insert(ApiKey, { id, ...owner, ...texts, scopes });
    const after = { name: texts.name, last4: texts.last4, scopes };
    const by = { organizationId, projectId, subject: 'service:portal' };
    await new AuditLog(this.db, 'portal').append(manager, by, {
      action: 'api_key.created',
      subject: id,
      before: null,
      after,
    });
    return key;
  }
}
