import type { ProjectScope } from '#libs/contracts';
import { hasLeft, heardOfWithinMs, type ProjectHold } from '#libs/journal';
import type { RowsPage } from '#libs/project-rows';
import { notFound, type Principal, type ServiceClient } from '#libs/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { OrganizationRepository } from '../organizations/organization.repository.js';
import { ProjectRepository } from '../projects/project.repository.js';
import { GATEWAY } from '../services.js';
import { type PortalSettings, SETTINGS } from '../settings.js';
import { HandedOn } from './handed-on.js';
import type { ArrivalKeyView, AskRows, CheckArrival, MoveView, ReceiveMove, SwitchedView } from './move.dto.js';
import { MoveRepository } from './move.repository.js';
import {
  beingAborted,
  handsOnStill,
  inOtherState,
  isHere,
  lastOpen,
  noHandOnKey,
  notAccepted,
  notSettled,
  refuseOtherPeer,
  refuseRollout,
  stillDeleting,
  stillHandsOn,
  stillWaiting,
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
      this.services.inventories(caller),
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
      this.services.inventories(scope),
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
    const scope = { organizationId: project.organization_id, projectId };
    if ((await this.moves.begin(caller, scope, to)) === 'last') throw lastOpen();
    refuseOtherPeer(await this.sideOf(caller, projectId, 'leaving', 'left'), to);
  }

  /**
   * Also of a project that has left here, and comes back: what it had left is deleted first.
   * @throws Problem as `checkArrival`; 409 `held_for_other`; 503 `still_deleting`: ask again
   */
  async receive(
    caller: Principal,
    { project_id, organization_id, organization_name, from, hand_on_key: handOnKey }: ReceiveMove,
  ): Promise<void> {
    const before = await this.checkArrival(caller, { project_id, organization_id, from });
    const scope = { organizationId: organization_id, projectId: project_id };
    const since = before?.state === 'left' ? before.held_since : undefined;
    if (since !== undefined && !(await this.services.remove(scope))) throw stillDeleting(project_id);
    await this.moves.receive(caller, { ...scope, organizationName: organization_name, from, handOnKey, since });
    refuseOtherPeer(await this.sideOf(caller, project_id, 'arriving'), from);
  }

  /**
   * Whether a project may arrive, before it is held where it leaves: nothing is changed.
   * @returns what is held here: it has left, and comes back, or is arriving already
   * @throws Problem 403 `organization_not_accepted`; 409 `project_exists | has_left | being_aborted | held_for_other | rollout_on`
   */
  async checkArrival(
    caller: Principal,
    { project_id, organization_id, from }: CheckArrival,
  ): Promise<ProjectHold | null> {
    if (!this.mayBring(caller, organization_id)) throw notAccepted(caller, organization_id);
    const before = await this.moves.find(project_id);
    const comesBack = before?.organization_id === organization_id && hasLeft(before.state);
    if (comesBack && before.ended_at === null) throw handsOnStill(before);
    const isOthers = before && before.organization_id !== organization_id;
    const isKnown = !comesBack && before?.state !== 'arriving' && (await this.projects.isKnown(project_id));
    if (isOthers || isKnown) throw isHere(project_id);
    if (before?.state === 'arriving') {
      refuseOtherPeer(before, from);
      if (before.ended_at !== null) throw beingAborted(before);
    }
    // Not once it arrives: where it has left already, it has to be opened.
    else refuseRollout(await this.moves.builds());
    return before;
  }

  async page(
    caller: Principal,
    projectId: string,
    { service, ...asked }: AskRows,
  ): Promise<RowsPage & { next: string | null }> {
    const held = await this.sideOf(caller, projectId, 'leaving', 'left');
    if (held.held_ms < heardOfWithinMs) throw notSettled(projectId);
    return this.services.page(scopeOf(held), service, asked);
  }

  async store(caller: Principal, projectId: string, service: string, table: string, page: RowsPage): Promise<void> {
    const held = await this.sideOf(caller, projectId, 'arriving');
    await this.services.store(held, service, table, page);
  }

  /**
   * Where it leaves, it has left; where it arrives, it is opened.
   * @throws Problem 404; 409 `not_in_this_state`, as when it is aborted at the same time; 409 `rollout_on` where it leaves; 409
   *   `being_aborted | no_hand_on_key` where it arrives
   */
  async switch(caller: Principal, projectId: string): Promise<SwitchedView> {
    const held = await this.sideOf(caller, projectId, 'leaving', 'left', 'arriving');
    const [scope, state] = [scopeOf(held), held.state];
    if (state !== 'arriving') {
      // An update that began during the copy may have changed what a row means.
      if (state === 'leaving') refuseRollout(await this.moves.builds());
      // Opened there as well as here, it would be done twice.
      if (state === 'leaving' && !(await this.moves.leave(caller, scope))) await this.sideOf(caller, projectId, 'left');
      return { project_id: projectId, state: 'left' };
    }
    if (held.ended_at !== null) throw beingAborted(held);
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

  /**
   * Where it arrives, or was about to come back: that does not go on.
   * @throws Problem 404; 409 `not_in_this_state` once it has left, or before `giveUp`; 503 `still_deleting`: ask again
   */
  async abort(caller: Principal, projectId: string): Promise<void> {
    const before = await this.moves.find(projectId);
    if (before && hasLeft(before.state) && this.mayBring(caller, before.organization_id)) {
      return this.moves.stayLeft(scopeOf(before));
    }
    const held = await this.sideOf(caller, projectId, 'aborting', 'arriving');
    const scope = scopeOf(held);
    if (held.state === 'aborting') return this.moves.abort(caller, scope, 'aborting');
    // First of all: a page that is stored later would stay.
    await this.moves.discard(scope);
    if (!(await this.services.remove(scope))) throw stillDeleting(projectId);
    await this.moves.abort(caller, scope, 'discarded');
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
    if (oldest !== null && Date.now() - Date.parse(oldest) > awayMs) throw stillWaiting(held, waiting, oldest);
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
    throw inOtherState(projectId, held, states);
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
