import type { UseQueryResult } from '@tanstack/react-query';
import { answer, answerWithEtag, api, type Schema } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';

export function useWorkflows(): UseQueryResult<Schema<'WorkflowView'>[]> {
  return useProjectQuery(['workflows', 'all'], async (signal) => {
    const { data } = await answer(api.GET('/api/v1/workflows', { signal }));
    return data;
  });
}

export function useWorkflow(id: number): UseQueryResult<{ data: Schema<'WorkflowView'>; etag: string | null }> {
  return useProjectQuery(['workflows', id], (signal) =>
    answerWithEtag(api.GET('/api/v1/workflows/{id}', { params: { path: { id } }, signal })),
  );
}

export function useTriggers(): UseQueryResult<Schema<'TriggerView'>[]> {
  return useProjectQuery(['triggers', 'all'], async (signal) => {
    const { data } = await answer(api.GET('/api/v1/triggers', { signal }));
    return data;
  });
}

/** The keys of all workflows, triggers and runs that are shown. */
export const touched = ['workflows', 'triggers', 'runs'];
