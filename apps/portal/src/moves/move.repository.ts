import { AuditLog } from '#libs/audit';
import type { ProjectScope } from '#libs/contracts';
import { findHold, hold, leave, type ProjectHold, release } from '#libs/journal';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Organization } from '../organizations/organization.entity.js';
import { Project } from '../projects/project.entity.js';

export interface Arrival extends ProjectScope {
  organizationName: string;
  from: string;
}

/** The holds of projects that move, each change with its entry in the audit log. */
@Injectable()
export class MoveRepository {
  constructor(
    private readonly db: DataSource,
    private readonly audit: AuditLog,
  ) {}

  find(projectId: string): Promise<ProjectHold | null> {
    return findHold(this.db, projectId);
  }

  /**
   * Nothing of the project begins here from then on. One that is leaving is already.
   * @returns false, with nothing changed, for a project that is open: nobody reopens it while this holds its row
   */
  begin(caller: Principal, scope: ProjectScope, to: string): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const where = { id: scope.projectId, organization_id: scope.organizationId };
      const project = await tx.findOne(Project, { where, lock: { mode: 'pessimistic_write' } });
      if (!project?.closed_at) return false;
      if (!(await hold(tx, scope, { state: 'leaving', peer: to, by: caller.subject }))) return true;
      await this.audit.append(tx, ofOrganization(caller, scope), {
        action: 'project.leaving',
        subject: scope.projectId,
        before: null,
        after: { to },
      });
      return true;
    });
  }

  /** A place for a project that is to come. Its organization is made, unless it is here: then it keeps its name. */
  async receive(caller: Principal, { from, organizationName, ...scope }: Arrival): Promise<void> {
    await this.db.transaction(async (tx) => {
      const organization = { id: scope.organizationId, name: organizationName };
      await tx.createQueryBuilder().insert().into(Organization).values(organization).orIgnore().execute();
      if (!(await hold(tx, scope, { state: 'arriving', peer: from, by: caller.subject }))) return;
      await this.audit.append(tx, ofOrganization(caller, scope), {
        action: 'project.arriving',
        subject: scope.projectId,
        before: null,
        after: { from },
      });
    });
  }

  /** The other installation has it. @returns false when it is not leaving */
  leave(caller: Principal, scope: ProjectScope): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const left = await leave(tx, scope);
      if (left) {
        const change = { subject: scope.projectId, before: null, after: null };
        await this.audit.append(tx, ofOrganization(caller, scope), { action: 'project.left', ...change });
      }
      return left;
    });
  }

  /** Work on it may begin here. @returns false when it is not held in that state */
  release(caller: Principal, scope: ProjectScope, state: 'leaving' | 'arriving', aborted: boolean): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const released = await release(tx, scope, state);
      if (released) {
        const action = aborted ? 'project.move_aborted' : 'project.arrived';
        const change = { subject: scope.projectId, before: null, after: null };
        await this.audit.append(tx, ofOrganization(caller, scope), { action, ...change });
      }
      return released;
    });
  }
}

/** In the log of each project of the organization, as other changes of projects are. */
const ofOrganization = (caller: Principal, { organizationId }: ProjectScope) => ({
  ...caller,
  organizationId,
  projectId: '',
});
