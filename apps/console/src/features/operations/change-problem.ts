import { answer, api, type Schema } from '../../api/client.js';
import { operationsTexts } from '../../texts/operations.js';

type Problem = Schema<'ProblemView'>;

export const nameOfProblem = ({ error, reason }: Problem): string =>
  error ?? reason ?? operationsTexts.letters.noReason;

export function redriveProblem({ app_id, stage, reason }: Problem) {
  const body = { app_id, stage: stage as NonNullable<Schema<'RedriveMany'>['stage']>, reason: reason ?? undefined };
  return answer(api.POST('/api/v1/events/dead-letters/redrive', { body }));
}

/** @param hours null: until it is reopened */
export function muteProblem({ id }: Problem, hours: number | null) {
  const body = hours === null ? {} : { hours };
  return answer(api.POST('/api/v1/problems/{id}/mute', { params: { path: { id } }, body }));
}

export const resolveProblem = ({ id }: Problem) =>
  answer(api.POST('/api/v1/problems/{id}/resolve', { params: { path: { id } } }));

export const reopenProblem = ({ id }: Problem) =>
  answer(api.POST('/api/v1/problems/{id}/reopen', { params: { path: { id } } }));
