import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answer, answerWithEtag, api } from '../../api/client.js';
import { projectKey, type Question, useProjectId, useProjectQuery } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import type { Tagged } from '../../api/use-guarded-edit.js';

export type App = Schema<'AppView'>;

export const readApp = (id: string, signal?: AbortSignal): Promise<Tagged<App>> =>
  answerWithEtag(api.GET('/api/v1/apps/{id}', { params: { path: { id } }, signal }));

export const appQuestion = (id: string): Question<Tagged<App>> => [['apps', id], (signal) => readApp(id, signal)];

/** Its state changes by itself too: a credential expires, a renewal fails. */
const againMs = 15_000;

export const useApp = (id: string) => useProjectQuery(...appQuestion(id), { refetchInterval: againMs });

export const saveApp = (id: string, body: Schema<'ChangeApp'>, etag: string | null = null): Promise<App> =>
  answer(api.PATCH('/api/v1/apps/{id}', { params: { path: { id }, header: { 'If-Match': etag ?? undefined } }, body }));

/** Refetches everything that depends on Apps. */
export function useRefreshApps(): () => Promise<void> {
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  // Installing an App may register its adapter.
  return async () => {
    const of = (key: string) => queryClient.invalidateQueries({ queryKey: projectKey(projectId, [key]) });
    await Promise.all([of('apps'), of('adapters')]);
  };
}

/** A change of one thing, without If-Match: the button itself says what is set. */
export function useAppChange(id: string) {
  const refresh = useRefreshApps();
  return useMutation({ mutationFn: (change: Schema<'ChangeApp'>) => saveApp(id, change), onSuccess: refresh });
}
