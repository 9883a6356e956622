import { useMutation } from '@tanstack/react-query';
import { answer, answerWithEtag, api, type Tagged } from '../../api/client.js';
import { type Question, useProjectQuery } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { useRefresh } from '../../api/use-change.js';

export type App = Schema<'AppView'>;
export type Channel = Schema<'ChannelView'>;

export const appQuestion = (id: string): Question<Tagged<App>> => [
  ['apps', id],
  (signal) => answerWithEtag(api.GET('/api/v1/apps/{id}', { params: { path: { id } }, signal })),
];

/** Its state changes by itself too: a credential expires, a renewal fails. */
const againMs = 15_000;

export const useApp = (id: string) => useProjectQuery(...appQuestion(id), { refetchInterval: againMs });

export const saveApp = (id: string, body: Schema<'ChangeApp'>, match?: string): Promise<App> =>
  answer(api.PATCH('/api/v1/apps/{id}', { params: { path: { id }, header: { 'If-Match': match } }, body }));

/** The keys of everything that depends on Apps: installing one may register its adapter. */
export const touched = ['apps', 'adapters'];

/** A change of one thing, without If-Match: the button itself says what is set. */
export function useAppChange(id: string) {
  const refresh = useRefresh(...touched);
  return useMutation({ mutationFn: (change: Schema<'ChangeApp'>) => saveApp(id, change), onSuccess: refresh });
}
