import type { ProjectScope } from '#libs/contracts';
import { hasLeft, heardOfWithinMs, type ProjectHold } from '#libs/journal';
import type { RowsPage } from '#libs/project-rows';
import { notFound, type Principal, Problem, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { OrganizationRepository } from '../organizations/organization.repository.js';
import { ProjectRepository } from '../projects/project.repository.js';
import { GATEWAY } from '../services.js';
import { type PortalSettings, SETTINGS } from '../settings.js';
import { HandedOn } from './handed-on.js';
import type { ArrivalKeyView, AskRows, MoveView, ReceiveMove, SwitchedView } from './move.dto.js';
import { MoveRepository } from './move.repository.js';
import {
  handsOnStill,
  noHandOnKey,
  notAccepted,
  refuseOtherPeer,
  refuseRollout,
  stillDeleting,
  stillHandsOn,
} from './move-refusals.js';
import { MovedServices } from './moved-services.js';

/** A webhook that has waited this long waits for an installation that is away. */
const awayMs = 60_000;

/**
 * Moves a project between installations (docs/decisions/0200). A command asks both sides, and carries the rows; what each
 * of them has to know is its hold, so that the command may be killed and started again anywhere.
 */
@Injectable()
export class MoveService {
  constructor(
    private readonly moves: MoveRepository,
    private readonly services: MovedServices,
    private readonly handedOn: HandedOn,
    private readonly projects: ProjectRepository,
    private readonly organizations: OrganizationRepository,
    @Inject(GATEWAY) private readonly gateway: Pick<ServiceClient, 'post'>,
    @Inject(SETTINGS) private readonly settings: Pick<PortalSettings, 'MOVE_ACCEPTS'>,
  ) {}

  async key(caller: Principal): Promise<ArrivalKeyView> {
    const [key, services, builds] = await Promise.all([
      this.services.arrivalKey(caller),
      this.inventories(caller),
      this.moves.builds(),
    ]);
    const accepts = this.settings.MOVE_ACCEPTS.filter(({ organizationId }) => this.mayBring(caller, organizationId));
    return {
      ...key,
      key_id: caller.subject.startsWith('key:') ? caller.subject.slice('key:'.length) : null,
      accepts: accepts.map(({ organizationId }) => organizationId),
      shapes: shapesOf(services),
      builds,
    };
  }

  /** @throws Problem 404 */
  async show(caller: Principal, projectId: string): Promise<MoveView> {
    const scope = await this.readable(caller, projectId);
    const move = await this.moves.find(projectId);
    const [key, waits, project, organization, builds, services] = await Promise.all([
      move && move.state !== 'arriving' ? this.handedOn.publicKey(scope) : null,
      move && hasLeft(move.state) ? this.handedOn.waiting(scope) : null,
      this.projects.find(scope.organizationId, projectId),
      this.organizations.find(scope.organizationId),
      this.moves.builds(),
      this.inventories(scope),
    ]);
    return {
      project_id: projectId,
      organization_id: scope.organizationId,
      organization_name: organization?.name ?? null,
      state: move?.state ?? 'here',
      closed: Boolean(project?.closed_at),
      peer: move?.peer ?? null,
      held_at: move?.held_at.toISOString() ?? null,
      held_by: move?.held_by ?? null,
      settled: move !== null && move.held_ms >= heardOfWithinMs,
      hand_on_key: key,
      handing_on: waits && {
        ...waits,
        refused_at: (move?.ended_at ?? (move?.state === 'ending' ? move.changed_at : null))?.toISOString() ?? null,
        ended_at: move?.ended_at?.toISOString() ?? null,
      },
      shapes: shapesOf(services),
      builds,
      tables: services.flatMap(({ service, tables }) => tables.map((each) => ({ service, ...each }))),
      open: services.flatMap(({ service, open }) => open.map((each) => ({ service, ...each }))),
      stays: services.flatMap(({ stays }) => stays),
    };
  }

  /** @throws Problem 404; 409 `last_open_project | held_for_other | not_in_this_state | rollout_on` */
  async begin(caller: Principal, projectId: string, to: string): Promise<void> {
    const project = await this.projects.find(caller.organizationId, projectId);
    if (!project) throw notFound('project', projectId);
    const before = await this.moves.find(projectId);
    if (!before || before.state === 'leaving') refuseRollout(await this.moves.builds());
    if ((await this.moves.begin(caller, { organizationId: project.organization_id, projectId }, to)) === 'last') {
      const toDo = 'It is the only open project of the organization: create another first.';
      throw new Problem(409, 'last_open_project', toDo);
    }
    refuseOtherPeer(await this.sideOf(caller, projectId, 'leaving', 'left'), to);
  }

  /**
   * Also of a project that has left here, and comes back: what it had left is deleted first.
   * @throws Problem 403 `organization_not_accepted`; 409 `project_exists | has_left | held_for_other | rollout_on`; 503
   *   `still_deleting`: ask again
   */
  async receive(
    caller: Principal,
    { project_id, organization_id, organization_name, from, hand_on_key: handOnKey }: ReceiveMove,
  ): Promise<void> {
    if (!this.mayBring(caller, organization_id)) throw notAccepted(caller, organization_id);
    const before = await this.moves.find(project_id);
    const scope = { organizationId: organization_id, projectId: project_id };
    const comesBack = before?.organization_id === organization_id && hasLeft(before.state);
    if (comesBack && before.ended_at === null) throw handsOnStill(before);
    // Not once it arrives: where it has left already, it has to be opened.
    if (!before || comesBack) refuseRollout(await this.moves.builds());
    if (comesBack && !(await this.services.remove(scope))) throw stillDeleting(project_id);
    const isOthers = before && before.organization_id !== organization_id;
    if (isOthers || (before?.state !== 'arriving' && (await this.projects.isKnown(project_id)))) {
      throw new Problem(409, 'project_exists', `A project with the id ${project_id} is here already.`);
    }
    await this.moves.receive(caller, { ...scope, organizationName: organization_name, from, handOnKey });
    refuseOtherPeer(await this.sideOf(caller, project_id, 'arriving'), from);
  }

  async page(
    caller: Principal,
    projectId: string,
    { service, ...asked }: AskRows,
  ): Promise<RowsPage & { next: string | null }> {
    const held = await this.sideOf(caller, projectId, 'leaving', 'left');
    if (held.held_ms < heardOfWithinMs) {
      const detail = `Not every process may have heard that ${projectId} is held: ask again in some seconds.`;
      throw new Problem(409, 'not_settled', detail);
    }
    return this.services.page(scopeOf(held), service, asked);
  }

  async store(caller: Principal, projectId: string, service: string, table: string, page: RowsPage): Promise<void> {
    const held = await this.sideOf(caller, projectId, 'arriving');
    await this.services.store(scopeOf(held), service, table, page);
  }

  /**
   * Where it leaves, it has left; where it arrives, it is opened.
   * @throws Problem 404; 409 `not_in_this_state`, as when it is aborted at the same time; 409 `no_hand_on_key`
   */
  async switch(caller: Principal, projectId: string): Promise<SwitchedView> {
    const held = await this.sideOf(caller, projectId, 'leaving', 'left', 'arriving');
    const [scope, state] = [scopeOf(held), held.state];
    if (state !== 'arriving') {
      // Opened there as well as here, it would be done twice.
      if (state === 'leaving' && !(await this.moves.leave(caller, scope))) await this.sideOf(caller, projectId, 'left');
      return { project_id: projectId, state: 'left' };
    }
    if (held.hand_on_key === null) throw noHandOnKey(held);
    const own = { ...caller, ...scope };
    const announce = (): Promise<unknown> => this.gateway.post('/internal/project/arrived', scope, {});
    await this.projects.openArrived(own, projectId, announce);
    await this.moves.arrive(caller, scope);
    return { project_id: projectId, state: 'here' };
  }

  /**
   * The first half of an abort, where it leaves: it cannot be switched from now on, so that what has arrived may be deleted.
   * @throws Problem 404; 409 `not_in_this_state` once it has left
   */
  async giveUp(caller: Principal, projectId: string): Promise<void> {
    const { state, ...held } = await this.sideOf(caller, projectId, 'leaving', 'aborting');
    if (state === 'leaving' && !(await this.moves.giveUp(scopeOf(held)))) {
      await this.sideOf(caller, projectId, 'aborting');
    }
  }

  /** @throws Problem 404; 409 `not_in_this_state` once it has left, or before `giveUp`; 503 `still_deleting`: ask again */
  async abort(caller: Principal, projectId: string): Promise<void> {
    const held = await this.sideOf(caller, projectId, 'aborting', 'arriving');
    const scope = scopeOf(held);
    if (held.state === 'arriving' && !(await this.services.remove(scope))) throw stillDeleting(projectId);
    await this.moves.abort(caller, scope, held.state === 'arriving' ? 'arriving' : 'aborting');
  }

  /**
   * Webhooks of a project that has left are refused here from now on. Nothing is handed on any more once every process has
   * heard of that, and none is left that was taken before: ask again until then.
   * @throws Problem 404; 409 `still_waiting | peer_hands_on`
   */
  async endHere(caller: Principal, projectId: string): Promise<void> {
    const held = await this.sideOf(caller, projectId, 'left', 'ending');
    if (held.ended_at !== null) return;
    const scope = scopeOf(held);
    const { waiting, oldest_at: oldest } = await this.handedOn.waiting(scope);
    if (held.state === 'ending') {
      const isLast = held.changed_ms >= heardOfWithinMs && waiting === 0 && !(await this.handedOn.isSpooled(scope));
      if (isLast) await this.moves.end(scope);
      return;
    }
    if (oldest !== null && Date.now() - Date.parse(oldest) > awayMs) {
      const is = `${waiting} webhooks of ${projectId} are not handed on, since ${oldest}`;
      throw new Problem(409, 'still_waiting', `${is}: see whether ${held.peer} answers, and end it when they are.`);
    }
    const before = await this.moves.peer(projectId);
    if (before) throw stillHandsOn(before);
    await this.moves.refuseWebhooks(caller, scope);
  }

  /** Nobody hands on webhooks of the project to here any longer. @throws Problem 404 */
  async revokePeer(caller: Principal, projectId: string): Promise<void> {
    const scope = { organizationId: caller.organizationId, projectId };
    const brought = (await this.moves.peer(projectId))?.organization_id;
    if (brought && this.mayBring(caller, brought)) scope.organizationId = brought;
    if (!(await this.moves.forgetPeer(caller, scope))) throw notFound('project', projectId);
  }

  private async inventories(scope: ProjectScope) {
    const found = await Promise.all(
      this.services.names.map(async (service) => ({ service, ...(await this.services.inventory(scope, service)) })),
    );
    // What waits is listed before the others count again: nothing begins to wait unseen in between.
    const waiting = found.flatMap((each) => each.waiting);
    if (waiting.length === 0) return found;
    return Promise.all(
      found.map(async (each) =>
        each.open.length === 0 ? each : { ...each, open: await this.services.open(scope, each.service, waiting) },
      ),
    );
  }

  /** Whether the settings name the caller's key for projects of that organization. */
  private mayBring({ subject }: Principal, organizationId: string): boolean {
    return this.settings.MOVE_ACCEPTS.some(
      (each) => each.organizationId === organizationId && subject === `key:${each.keyId}`,
    );
  }

  /** A project of the caller's organization, or one that the caller brings or has brought. @throws Problem 404 */
  private async readable(caller: Principal, projectId: string): Promise<ProjectScope> {
    const held = await this.moves.find(projectId);
    const brought = this.settings.MOVE_ACCEPTS.map(({ organizationId }) => organizationId);
    const mine = brought.filter((id) => this.mayBring(caller, id) && (!held || held.state === 'arriving'));
    for (const organizationId of [caller.organizationId, ...mine]) {
      const isThere = held
        ? held.organization_id === organizationId
        : (await this.projects.find(organizationId, projectId)) !== null;
      if (isThere) return { organizationId, projectId };
    }
    throw notFound('project', projectId);
  }

  /**
   * The hold of a project that the caller may move: one that leaves is of the caller's organization, one that arrives of
   * an organization whose projects the caller may bring.
   * @throws Problem 404; 403 `organization_not_accepted`; 409 `not_in_this_state`
   */
  private async sideOf(caller: Principal, projectId: string, ...states: ProjectHold['state'][]): Promise<ProjectHold> {
    const { organizationId } = await this.readable(caller, projectId);
    const held = await this.moves.find(projectId);
    if (held?.organization_id === organizationId && states.includes(held.state)) {
      if (held.state === 'arriving' && !this.mayBring(caller, organizationId)) {
        throw notAccepted(caller, organizationId);
      }
      if (held.state === 'arriving' || organizationId === caller.organizationId) return held;
    }
    const is = held ? `is ${held.state}` : 'does not move';
    throw new Problem(
      409,
      'not_in_this_state',
      `The project ${projectId} ${is}; this is for one that is ${states.join(' or ')}.`,
    );
  }
}

const scopeOf = ({
  organization_id,
  project_id,
}: Pick<ProjectHold, 'organization_id' | 'project_id'>): ProjectScope => ({
  organizationId: organization_id,
  projectId: project_id,
});

const shapesOf = (services: { service: string; shape: string }[]): Record<string, string> =>
  Object.fromEntries(services.map(({ service, shape }) => [service, shape]));
