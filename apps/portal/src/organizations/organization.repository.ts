import { AuditLog } from '#libs/audit';
import { newId } from '#libs/contracts';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { MemberRepository } from '../members/member.repository.js';
import { ProjectRepository } from '../projects/project.repository.js';
import { Organization } from './organization.entity.js';

@Injectable()
export class OrganizationRepository {
  constructor(
    private readonly db: DataSource,
    private readonly members: MemberRepository,
    private readonly projects: ProjectRepository,
    private readonly audit: AuditLog,
  ) {}

  find(id: string): Promise<Organization | null> {
    return this.db.manager.findOneBy(Organization, { id });
  }

  /** The organizations with these ids, oldest first. */
  list(ids: string[], limit: number, cursor: string | undefined): Promise<Organization[]> {
    const id = In(cursor === undefined ? ids : ids.filter((each) => each > cursor));
    return this.db.manager.find(Organization, { where: { id }, order: { id: 'ASC' }, take: limit });
  }

  /** Creates it with a first project, and with the member who creates it as its owner. */
  create(caller: Principal, owner: { id: string; name: string }, name: string): Promise<Organization> {
    return this.db.transaction(async (tx) => {
      const organization = await tx.save(Organization, tx.create(Organization, { id: newId('org'), name }), {
        reload: true,
      });
      const by = { ...caller, organizationId: organization.id, projectId: '' };
      const change = { action: 'organization.created' as const, subject: organization.id, before: null };
      await this.audit.append(tx, by, { ...change, after: { name } });
      const member = {
        organization_id: organization.id,
        user_id: owner.id,
        name: owner.name,
        last_seen_at: new Date(),
      };
      await this.members.add(tx, caller, { ...member, role: 'owner' });
      await this.projects.createIn(tx, by, 'Default');
      return organization;
    });
  }

  /** @returns null when there is no such organization */
  rename(caller: Principal, name: string): Promise<Organization | null> {
    return this.db.transaction(async (tx) => {
      const where = { id: caller.organizationId };
      const organization = await tx.findOne(Organization, { where, lock: { mode: 'pessimistic_write' } });
      if (!organization || organization.name === name) return organization;
      await this.audit.append(
        tx,
        { ...caller, projectId: '' },
        {
          action: 'organization.renamed',
          subject: organization.id,
          before: { name: organization.name },
          after: { name },
        },
      );
      return tx.save(Organization, { ...organization, name });
    });
  }
}
