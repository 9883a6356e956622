import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { answer, api } from '../../../api/client.js';
import { projectKey, useProjectId } from '../../../api/project-query.js';

/** Continues a part of an event, and refetches the event. */
export function useMending<Result, Given = void>(
  eventId: string,
  mend: (given: Given) => Promise<Result>,
): UseMutationResult<Result, Error, Given> {
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  return useMutation({
    mutationFn: mend,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['event', eventId]) });
      await queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['events']) });
    },
  });
}

export const redriveDelivery = (id: string) =>
  answer(api.POST('/api/v1/deliveries/{id}/redrive', { params: { path: { id } } }));

export const redriveLetter = (id: string) =>
  answer(api.POST('/api/v1/events/dead-letters/{id}/redrive', { params: { path: { id } } }));

export const release = (message_ids: string[]) =>
  answer(api.POST('/api/v1/held-messages/release', { body: { message_ids } }));

/** The target that takes the event instead of what the rules choose. */
export type ReplayTarget = { workflow_id: number } | { agent_id: string };

export const replayEvent = (id: string, deliver: boolean, target?: ReplayTarget) =>
  answer(api.POST('/api/v1/events/{id}/replay', { params: { path: { id } }, body: { deliver, ...target } }));

export const replayRun = (id: string) =>
  answer(api.POST('/api/v1/runs/{id}/replay', { params: { path: { id } }, body: { deliver: false } }));
