import type { ProjectScope } from '#libs/contracts';
import type { ProjectHold } from '#libs/journal';
import type { RowsPage } from '#libs/project-rows';
import { notFound, type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { OrganizationRepository } from '../organizations/organization.repository.js';
import { ProjectRepository } from '../projects/project.repository.js';
import { GATEWAY } from '../services.js';
import { type PortalSettings, SETTINGS } from '../settings.js';
import type { ArrivalKeyView, AskRows, MoveView, ReceiveMove, SwitchedView } from './move.dto.js';
import { MoveRepository } from './move.repository.js';
import { MovedServices } from './moved-services.js';

/**
 * Moves a project between installations (docs/decisions/0200). A command asks both sides, and carries the rows; what each
 * of them has to know is its hold, so that the command may be killed and started again anywhere.
 */
@Injectable()
export class MoveService {
  constructor(
    private readonly moves: MoveRepository,
    private readonly services: MovedServices,
    private readonly projects: ProjectRepository,
    private readonly organizations: OrganizationRepository,
    @Inject(GATEWAY) private readonly gateway: Pick<ServiceClient, 'post'>,
    @Inject(SETTINGS) private readonly settings: Pick<PortalSettings, 'MOVE_ACCEPTS'>,
  ) {}

  async key(caller: Principal): Promise<ArrivalKeyView> {
    const [key, services] = await Promise.all([this.services.arrivalKey(caller), this.inventories(caller)]);
    return { ...key, accepts: this.settings.MOVE_ACCEPTS, shapes: shapesOf(services) };
  }

  /** @throws Problem 404 */
  async show(caller: Principal, projectId: string): Promise<MoveView> {
    const scope = await this.scopeOf(caller, projectId);
    const [move, project, organization, services] = await Promise.all([
      this.moves.find(projectId),
      this.projects.find(scope.organizationId, projectId),
      this.organizations.find(scope.organizationId),
      this.inventories(scope),
    ]);
    return {
      project_id: projectId,
      organization_id: scope.organizationId,
      organization_name: organization?.name ?? null,
      state: move?.state ?? 'here',
      closed: project?.closed_at !== null,
      peer: move?.peer ?? null,
      held_at: move?.held_at.toISOString() ?? null,
      held_by: move?.held_by ?? null,
      shapes: shapesOf(services),
      tables: services.flatMap(({ service, tables }) => tables.map((each) => ({ service, ...each }))),
      open: services.flatMap(({ service, open }) => open.map((each) => ({ service, ...each }))),
      stays: services.flatMap(({ stays }) => stays),
    };
  }

  /** @throws Problem 404; 409 `project_open` */
  async begin(caller: Principal, projectId: string, to: string): Promise<void> {
    const project = await this.projects.find(caller.organizationId, projectId);
    if (!project) throw notFound('project', projectId);
    if (!project.closed_at) {
      throw new Problem(409, 'project_open', `The project ${project.name} is open: close it, so that nothing arrives.`);
    }
    await this.moves.begin(caller, { organizationId: project.organization_id, projectId }, to);
    await this.requireState(projectId, 'leaving', 'left');
  }

  /** @throws Problem 403 `organization_not_accepted`; 409 `project_exists | not_in_this_state` */
  async receive(
    caller: Principal,
    { project_id, organization_id, organization_name, from }: ReceiveMove,
  ): Promise<void> {
    if (!this.settings.MOVE_ACCEPTS.includes(organization_id)) {
      throw new Problem(
        403,
        'organization_not_accepted',
        `Projects of ${organization_id} may not arrive: add it to MOVE_ACCEPTS of the portal here, and start it again.`,
      );
    }
    const held = await this.moves.find(project_id);
    if (!held && (await this.projects.find(organization_id, project_id))) {
      throw new Problem(409, 'project_exists', `The project ${project_id} is here already.`);
    }
    const scope = { organizationId: organization_id, projectId: project_id };
    await this.moves.receive(caller, { ...scope, organizationName: organization_name, from });
    await this.requireState(project_id, 'arriving');
  }

  async page(
    caller: Principal,
    projectId: string,
    { service, ...asked }: AskRows,
  ): Promise<RowsPage & { next: string | null }> {
    const scope = await this.scopeOf(caller, projectId);
    await this.requireState(projectId, 'leaving', 'left');
    return this.services.page(scope, service, asked);
  }

  async store(caller: Principal, projectId: string, service: string, table: string, page: RowsPage): Promise<void> {
    const scope = await this.scopeOf(caller, projectId);
    await this.requireState(projectId, 'arriving');
    await this.services.store(scope, service, table, page);
  }

  /** Where it leaves, it has left; where it arrives, it is opened. */
  async switch(caller: Principal, projectId: string): Promise<SwitchedView> {
    const scope = await this.scopeOf(caller, projectId);
    const { state } = await this.requireState(projectId, 'leaving', 'left', 'arriving');
    if (state === 'leaving') await this.moves.leave(caller, scope);
    if (state !== 'arriving') return { project_id: projectId, state: 'left' };
    const own = { ...caller, ...scope };
    const announce = (): Promise<unknown> => this.gateway.post('/internal/project/closed', scope, { closed: false });
    await this.projects.reopen(own, projectId, announce);
    await this.moves.release(caller, scope, 'arriving', false);
    return { project_id: projectId, state: 'here' };
  }

  /** @throws Problem 409 `not_in_this_state` once it has left */
  async abort(caller: Principal, projectId: string): Promise<void> {
    const scope = await this.scopeOf(caller, projectId);
    const { state } = await this.requireState(projectId, 'leaving', 'arriving');
    if (state === 'arriving') await this.services.remove(scope);
    if (state !== 'left') await this.moves.release(caller, scope, state, true);
  }

  private inventories(scope: ProjectScope) {
    return Promise.all(
      this.services.names.map(async (service) => ({ service, ...(await this.services.inventory(scope, service)) })),
    );
  }

  /** A project of the caller's organization, or of one that is accepted. @throws Problem 404 */
  private async scopeOf({ organizationId: own }: Principal, projectId: string): Promise<ProjectScope> {
    const held = await this.moves.find(projectId);
    for (const organizationId of [own, ...this.settings.MOVE_ACCEPTS]) {
      const isThere = held
        ? held.organization_id === organizationId
        : (await this.projects.find(organizationId, projectId)) !== null;
      if (isThere) return { organizationId, projectId };
    }
    throw notFound('project', projectId);
  }

  private async requireState(projectId: string, ...states: ProjectHold['state'][]): Promise<ProjectHold> {
    const held = await this.moves.find(projectId);
    if (held && states.includes(held.state)) return held;
    const is = held ? `is ${held.state}` : 'does not move';
    throw new Problem(
      409,
      'not_in_this_state',
      `The project ${projectId} ${is}; this is for one that is ${states.join(' or ')}.`,
    );
  }
}

const shapesOf = (services: { service: string; shape: string }[]): Record<string, string> =>
  Object.fromEntries(services.map(({ service, shape }) => [service, shape]));
