import type { ProjectHold, ProjectPeer, RunningBuild } from '#libs/journal';
import { type Principal, Problem } from '#libs/service-kit';

/** Copied to two installations, it would be opened in both. */
export function refuseOtherPeer({ project_id: id, peer }: ProjectHold, asked: string): void {
  if (peer === asked) return;
  throw new Problem(
    409,
    'held_for_other',
    `The project ${id} is held here for a move whose other side is ${peer}, and not ${asked}: end that move or abort it.`,
  );
}

/** A process of another release may not know that a project is held, or what a row of the newer one means. */
export function refuseRollout(builds: RunningBuild[]): void {
  if (builds.length < 2) return;
  const which = builds.map(({ build, services }) => `${build} (${services.join(', ')})`).join(' and ');
  throw new Problem(
    409,
    'rollout_on',
    `Processes of ${builds.length} builds run in this installation: ${which}. Wait until the update is over and those of the ` +
      'former build have ended, which is known half a minute later; then start the move again.',
  );
}

export const inOtherState = (projectId: string, held: ProjectHold | null, states: ProjectHold['state'][]): Problem => {
  const is = held ? `is ${held.state}` : 'does not move';
  const detail = `The project ${projectId} ${is}; this is for one that is ${states.join(' or ')}.`;
  return new Problem(409, 'not_in_this_state', detail);
};

export const stillWaiting = ({ project_id: id, peer }: ProjectHold, waiting: number, since: string): Problem =>
  new Problem(
    409,
    'still_waiting',
    `${waiting} webhooks of ${id} are not handed on, since ${since}: see whether ${peer} answers, and end it when they are.`,
  );

export const lastOpen = (): Problem =>
  new Problem(409, 'last_open_project', 'It is the only open project of the organization: create another first.');

export const notSettled = (projectId: string): Problem =>
  new Problem(
    409,
    'not_settled',
    `Not every process may have heard that ${projectId} is held: ask again in some seconds.`,
  );

export const isHere = (projectId: string): Problem =>
  new Problem(409, 'project_exists', `A project with the id ${projectId} is here already.`);

/** What is deleted so that it can come back may still have to be handed on. */
export const handsOnStill = ({ project_id: id, peer }: ProjectHold): Problem =>
  new Problem(
    409,
    'has_left',
    `The project ${id} has left here for ${peer}, to which its webhooks are handed on: end that first (gatehouse move end, from ` +
      'here to there), then it can come back.',
  );

/** What would arrive now is deleted. */
export const beingAborted = ({ project_id: id, peer }: ProjectHold): Problem =>
  new Problem(
    409,
    'being_aborted',
    `The move of ${id} from ${peer} is being aborted here: end that first (gatehouse move abort, from there to here).`,
  );

/** A request deletes for some seconds: who asks goes on asking. */
export const stillDeleting = (projectId: string): Problem =>
  new Problem(
    503,
    'still_deleting',
    `What is here of ${projectId} is being deleted, table by table, and more is left: ask again.`,
  );

/** Begun with a release that gave none: what still comes to the other installation could not be handed on. */
export const noHandOnKey = ({ project_id: id, peer }: ProjectHold): Problem =>
  new Problem(
    409,
    'no_hand_on_key',
    `${peer} has not given the key with which it hands on webhooks of ${id}: start the move again, with the gatehouse of this release.`,
  );

/** What it hands on would find nobody here who hands it on. */
export const stillHandsOn = ({ project_id: id, peer }: ProjectPeer): Problem =>
  new Problem(
    409,
    'peer_hands_on',
    `${peer}, from which ${id} came, may still hand on webhooks to here: end that first (gatehouse move end, from there to ` +
      `here), or if it is gone for good, DELETE /api/v1/moves/${id}/peer here.`,
  );

export const notAccepted = ({ subject }: Principal, organizationId: string): Problem =>
  new Problem(
    403,
    'organization_not_accepted',
    `Projects of ${organizationId} may not arrive with this key: add ${organizationId}=${subject.replace('key:', '')} to ` +
      'MOVE_ACCEPTS of the portal here, and start it again.',
  );
