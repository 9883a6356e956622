import { type AuditAction, AuditLog } from '#libs/audit';
import type { ProjectScope } from '#libs/contracts';
import {
  comeBack,
  discard,
  endHandingOn,
  endHandOnLease,
  findHold,
  findLeft,
  findPeer,
  forgetPeer,
  giveHandOnKey,
  giveUp,
  hold,
  keepPeer,
  leave,
  type ProjectHold,
  type ProjectPeer,
  type PublicKey,
  refuseWebhooks,
  release,
  type RunningBuild,
  runningBuilds,
  stayLeft,
  type StoredHold,
  takeHandOnLease,
} from '#libs/journal';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import { Organization } from '../organizations/organization.entity.js';
import { Project } from '../projects/project.entity.js';

export interface Arrival extends ProjectScope {
  organizationName: string;
  from: string;
  handOnKey: PublicKey;
  /** `held_since` of the one that has left, and whose rows are deleted; absent: it was not here. */
  since?: string | undefined;
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

  /** The builds of which processes run here; more than one while the installation is updated. */
  builds(): Promise<RunningBuild[]> {
    return runningBuilds(this.db);
  }

  /** Projects that have left, and whose webhooks are handed on. */
  left(): Promise<StoredHold[]> {
    return findLeft(this.db);
  }

  /** Has this process hand on webhooks of a project, for so long. @returns false while another one does */
  takeHandOn(projectId: string, owner: string, ms: number): Promise<boolean> {
    return takeHandOnLease(this.db, projectId, owner, ms);
  }

  endHandOn(projectId: string, owner: string): Promise<void> {
    return endHandOnLease(this.db, projectId, owner);
  }

  /** The installation that hands on webhooks of a project. */
  peer(projectId: string): Promise<ProjectPeer | null> {
    return findPeer(this.db, projectId);
  }

  /**
   * Closes the project and holds it in one commit: nothing of it begins here from then on, but its webhooks are taken. One that
   * is leaving is already.
   * @returns `last`, with nothing changed, when no other project of its organization is open
   */
  begin(caller: Principal, scope: ProjectScope, to: string): Promise<'held' | 'last'> {
    return this.db.transaction(async (tx) => {
      const where = { organization_id: scope.organizationId, closed_at: IsNull() };
      // Locked in one order, as by whoever closes one.
      const open = await tx.find(Project, { where, order: { id: 'ASC' }, lock: { mode: 'pessimistic_write' } });
      const project = open.find(({ id }) => id === scope.projectId);
      const closedHere = project !== undefined;
      if (closedHere && open.length === 1) return 'last';
      if (!(await hold(tx, scope, { state: 'leaving', peer: to, by: caller.subject, closedHere }))) return 'held';
      // The gateway is not informed: it would have the ingress refuse the webhooks.
      if (project) await tx.update(Project, { id: project.id }, { closed_at: new Date() });
      await this.audit.append(tx, ofOrganization(caller, scope), {
        action: 'project.leaving',
        subject: scope.projectId,
        before: null,
        after: { to },
      });
      return 'held';
    });
  }

  /**
   * A place for a project that is to come, or to come back: what it had left here is deleted by then. Its organization is made, unless
   * it is here: then it keeps its name.
   */
  async receive(caller: Principal, { from, organizationName, handOnKey, since, ...scope }: Arrival): Promise<void> {
    await this.db.transaction(async (tx) => {
      const organization = { id: scope.organizationId, name: organizationName };
      await tx.createQueryBuilder().insert().into(Organization).values(organization).orIgnore().execute();
      if (!(await hold(tx, scope, { state: 'arriving', peer: from, by: caller.subject, handOnKey }))) {
        const back = since === undefined ? null : { peer: from, by: caller.subject, handOnKey, since };
        if (back === null || !(await comeBack(tx, scope, back))) {
          await giveHandOnKey(tx, scope, from, handOnKey);
          return;
        }
      }
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
      if (left) await this.note(tx, caller, scope, 'project.left');
      return left;
    });
  }

  /** It stays here: from now on it cannot leave any more. @returns false when it is not leaving */
  giveUp(scope: ProjectScope): Promise<boolean> {
    return giveUp(this.db, scope);
  }

  /** Nothing more of it arrives, and what has may be deleted. */
  discard(scope: ProjectScope): Promise<void> {
    return discard(this.db, scope);
  }

  /** One that has left does not come back by a request that still runs. */
  stayLeft(scope: ProjectScope): Promise<void> {
    return stayLeft(this.db, scope);
  }

  /** From now on its webhooks are refused here. @returns false when they are already, or it has not left */
  refuseWebhooks(caller: Principal, scope: ProjectScope): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const refused = await refuseWebhooks(tx, scope);
      if (refused) await this.note(tx, caller, scope, 'project.webhooks_ended');
      return refused;
    });
  }

  /** From now on nothing is handed on. @returns false when its webhooks are not refused, or it has ended already */
  end(scope: ProjectScope): Promise<boolean> {
    return endHandingOn(this.db, scope);
  }

  /** From now on nobody hands on webhooks of it. @returns false when nobody did */
  forgetPeer(caller: Principal, scope: ProjectScope): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const forgotten = await forgetPeer(tx, scope);
      if (forgotten) await this.note(tx, caller, scope, 'project.peer_revoked');
      return forgotten;
    });
  }

  /** It has arrived: work begins here, and its peer hands on webhooks. @returns false when it is not arriving */
  arrive(caller: Principal, scope: ProjectScope): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      const released = await release(tx, scope, 'arriving');
      if (released) {
        await keepPeer(tx, released);
        await this.note(tx, caller, scope, 'project.arrived');
      }
      return released !== null;
    });
  }

  /** Work goes on here, or what was `discarded` is gone. A project that the move closed is open again. */
  abort(caller: Principal, scope: ProjectScope, state: 'aborting' | 'discarded'): Promise<void> {
    return this.db.transaction(async (tx) => {
      const released = await release(tx, scope, state);
      if (!released) return;
      if (state === 'aborting' && released.closed_here)
        await tx.update(Project, { id: scope.projectId }, { closed_at: null });
      await this.note(tx, caller, scope, 'project.move_aborted');
    });
  }

  private note(tx: EntityManager, caller: Principal, scope: ProjectScope, action: AuditAction): Promise<void> {
    const change = { subject: scope.projectId, before: null, after: null };
    return this.audit.append(tx, ofOrganization(caller, scope), { action, ...change });
  }
}

/** In the log of each project of the organization, as other changes of projects are. */
const ofOrganization = (caller: Principal, { organizationId }: ProjectScope) => ({
  ...caller,
  organizationId,
  projectId: '',
});
