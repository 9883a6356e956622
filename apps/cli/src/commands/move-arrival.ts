import type { Api } from '../api/api.js';
import { CliError, exits } from '../api/cli-error.js';
import type { Call } from '../call/command.js';
import type { Move } from './move-report.js';
import { pathOf, untilDeleted } from './move-sides.js';

/** Codes of what the answer of `moves/key` reports already. */
const reportedByKey: ReadonlySet<string> = new Set(['organization_not_accepted', 'rollout_on']);

/**
 * Before the project is held here: it would stand still while the other installation does not take it.
 * @throws CliError with what that one says, and how the project goes on
 */
export async function requireTaken(found: Move, source: Api, there: Api): Promise<void> {
  const refused = await refusalOf(found, source, there);
  if (!refused) return;
  const toDo =
    found.state === 'here'
      ? 'Nothing is held here. Remove the cause, and start the move again.'
      : 'Remove the cause, and start the move again; or let the project go on here: gatehouse move abort.';
  throw new CliError(exits.refused, refused.message, refused.where, toDo, refused.code);
}

/** Why it may not arrive there, unless the key's answer says it. */
export async function whyNotTaken(found: Move, source: Api, there: Api): Promise<string[]> {
  const refused = await refusalOf(found, source, there);
  return refused && !reportedByKey.has(refused.code) ? [`The other installation: ${refused.message}`] : [];
}

async function refusalOf(found: Move, source: Api, there: Api): Promise<CliError | null> {
  const { project_id, organization_id } = found;
  try {
    await there.post('moves/arrivals/check', { project_id, organization_id, from: source.origin });
    return null;
  } catch (error) {
    if (error instanceof CliError && error.exit === exits.refused) return error;
    throw error;
  }
}

/** Holds a place there, once what a project that comes back had left is deleted. Not once it is aborted here. */
export async function holdPlace(call: Call, begun: Move, source: Api, there: Api): Promise<void> {
  const arrival = arrivalOf(begun, source);
  let known: Move | null = begun;
  await untilDeleted(call, async () => {
    requireLeaving(known ?? (await source.get<Move>(pathOf(begun.project_id))));
    known = null;
    await there.post('moves/arrivals', arrival);
  });
}

export const arrivalOf = ({ project_id, organization_id, organization_name: name, hand_on_key }: Move, from: Api) => ({
  project_id,
  organization_id,
  organization_name: name ?? organization_id,
  hand_on_key,
  from: from.origin,
});

function requireLeaving({ project_id: id, state }: Move): void {
  if (state === 'leaving') return;
  const toDo = 'See gatehouse move status, and start the move again if it is to go on.';
  const is = `${id} is ${state} here: another command has aborted its move, or ended it.`;
  throw new CliError(exits.refused, is, 'gatehouse move', toDo, 'not_leaving');
}
