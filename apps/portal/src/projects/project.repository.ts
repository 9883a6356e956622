import { AuditLog } from '#libs/audit';
import { newId } from '#libs/contracts';
import { findHold, type ProjectHold } from '#libs/journal';
import type { ProjectLimitsDto } from '#libs/project-limits';
import type { Principal } from '#libs/service-kit';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import { Project } from './project.entity.js';

@Injectable()
export class ProjectRepository {
  constructor(
    private readonly db: DataSource,
    private readonly audit: AuditLog,
  ) {}

  find(organizationId: string, id: string): Promise<Project | null> {
    return this.db.manager.findOneBy(Project, { id, organization_id: organizationId });
  }

  /** Whether a project has this id, of whatever organization. */
  isKnown(id: string): Promise<boolean> {
    return this.db.manager.existsBy(Project, { id });
  }

  oldestOpen(organizationId: string): Promise<Project | null> {
    return this.db.manager.findOne(Project, {
      where: { organization_id: organizationId, closed_at: IsNull() },
      order: { id: 'ASC' },
    });
  }

  /** Oldest first. */
  all(organizationId: string): Promise<Project[]> {
    return this.db.manager.find(Project, { where: { organization_id: organizationId }, order: { id: 'ASC' } });
  }

  /** Newest first. @param only the one project to list, or null for all of the organization */
  list(organizationId: string, only: string | null, limit: number, cursor: string | undefined): Promise<Project[]> {
    const query = this.db.manager
      .createQueryBuilder(Project, 'p')
      .where('p.organization_id = :organizationId', { organizationId });
    if (only !== null) query.andWhere('p.id = :only', { only });
    if (cursor !== undefined) query.andWhere('p.id < :cursor', { cursor });
    return query.orderBy('p.id', 'DESC').take(limit).getMany();
  }

  create(caller: Principal, name: string): Promise<Project> {
    return this.db.transaction((tx) => this.createIn(tx, caller, name));
  }

  async createIn(tx: EntityManager, caller: Principal, name: string): Promise<Project> {
    const row = tx.create(Project, { id: newId('prj'), organization_id: caller.organizationId, name, closed_at: null });
    const project = await tx.save(Project, row, { reload: true });
    await this.append(tx, caller, project.id, { action: 'project.created', before: null, after: { name } });
    return project;
  }

  /** @returns null when there is no such project */
  rename(caller: Principal, id: string, name: string): Promise<Project | null> {
    return this.db.transaction(async (tx) => {
      const project = await lock(tx, caller, id);
      if (!project || project.name === name) return project;
      const before = { name: project.name };
      await this.append(tx, caller, id, { action: 'project.renamed', before, after: { name } });
      return tx.save(Project, { ...project, name });
    });
  }

  /** @param notify as of `close` @returns null when there is no such project */
  setLimits(
    caller: Principal,
    id: string,
    limits: ProjectLimitsDto,
    notify: () => Promise<unknown>,
  ): Promise<Project | null> {
    return this.db.transaction(async (tx) => {
      const project = await lock(tx, caller, id);
      if (!project) return null;
      const change = { before: { limits: project.limits }, after: { limits } };
      await this.append(tx, caller, id, { action: 'project.limits_set', ...change });
      const changed = await tx.save(Project, { ...project, limits });
      await notify();
      return changed;
    });
  }

  /**
   * @param notify notifies the service concerned before the commit; if it fails, nothing has changed
   * @returns null when there is no such project; `last` when no other project is open
   */
  close(caller: Principal, id: string, notify: () => Promise<unknown>): Promise<Project | 'last' | null> {
    return this.db.transaction(async (tx) => {
      const where = { organization_id: caller.organizationId, closed_at: IsNull() };
      // Locks all of them, in one order, so that two callers who close the last two projects wait for each other.
      const open = await tx.find(Project, { where, order: { id: 'ASC' }, lock: { mode: 'pessimistic_write' } });
      const project = open.find((each) => each.id === id);
      if (!project) return tx.findOneBy(Project, { id, organization_id: caller.organizationId });
      if (open.length === 1) return 'last';
      const closed = await this.setClosed(tx, caller, project, new Date());
      await notify();
      return closed;
    });
  }

  /**
   * @param notify as of `close`
   * @returns its hold, with nothing changed, when it moves or has moved; null when there is no such project
   */
  reopen(caller: Principal, id: string, notify: () => Promise<unknown>): Promise<Project | ProjectHold | null> {
    return this.open(caller, id, notify, (tx) => findHold(tx, id));
  }

  /** Opens a project that has arrived, whose hold the move ends. As of `reopen`. */
  openArrived(caller: Principal, id: string, notify: () => Promise<unknown>): Promise<Project | null> {
    return this.open<never>(caller, id, notify, async () => null);
  }

  private open<R>(
    caller: Principal,
    id: string,
    notify: () => Promise<unknown>,
    refusal: (tx: EntityManager) => Promise<R | null>,
  ): Promise<Project | R | null> {
    return this.db.transaction(async (tx) => {
      const project = await lock(tx, caller, id);
      if (!project?.closed_at) return project;
      const refused = await refusal(tx);
      if (refused) return refused;
      const opened = await this.setClosed(tx, caller, project, null);
      await notify();
      return opened;
    });
  }

  private async setClosed(tx: EntityManager, caller: Principal, project: Project, at: Date | null): Promise<Project> {
    const action = at ? 'project.closed' : 'project.reopened';
    const [before, after] = [{ closed_at: project.closed_at }, { closed_at: at }];
    await this.append(tx, caller, project.id, { action, before, after });
    return tx.save(Project, { ...project, closed_at: at });
  }

  /** Belongs to the organization as a whole, so it appears in the log of each of its projects. */
  private append(
    tx: EntityManager,
    caller: Principal,
    subject: string,
    change: Omit<Parameters<AuditLog['append']>[2], 'subject'>,
  ): Promise<void> {
    return this.audit.append(tx, { ...caller, projectId: '' }, { ...change, subject });
  }
}

function lock(tx: EntityManager, { organizationId }: Principal, id: string): Promise<Project | null> {
  const where = { id, organization_id: organizationId };
  return tx.findOne(Project, { where, lock: { mode: 'pessimistic_write' } });
}
