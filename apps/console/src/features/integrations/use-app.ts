import { useMutation } from '@tanstack/react-query';
import { answer, answerWithEtag, api, type Schema, type Tagged } from '../../api/client.js';
import { type Question, useProjectQuery } from '../../api/project-query.js';
import { useRefresh } from '../../api/use-change.js';

export type App = Schema<'AppView'>;
export type Channel = Schema<'ChannelView'>;

export const appQuestion = (id: string): Question<Tagged<App>> => [
  ['apps', id],
  (signal) => answerWithEtag(api.GET('/api/v1/apps/{id}', { params: { path: { id } }, signal })),
];

/** Its state changes by itself too: a credential expires, a renewal fails. */
const pollMs = 15_000;

export const useApp = (id: string) => useProjectQuery(...appQuestion(id), { refetchInterval: pollMs });

export const saveApp = (id: string, body: Schema<'ChangeApp'>, match?: string): Promise<App> =>
  answer(api.PATCH('/api/v1/apps/{id}', { params: { path: { id }, header: { 'If-Match': match } }, body }));

/** The keys of everything that depends on Apps: installing one may register its adapter. */
export const touched = ['apps', 'adapters'];

/** A change of one thing, without If-Match: the button itself says what is set. */
export function useAppChange(id: string) {
  const refresh = useRefresh(...touched);
  return useMutation({ mutationFn: (change: Schema<'ChangeApp'>) => saveApp(id, change), onSuccess: refresh });
}

const dayMs = 86_400_000;
const activityMs = 60_000;

/** Counts of the last 24 hours, of one App or of each. */
const askDay = (signal: AbortSignal, appId?: string): Promise<Schema<'MessageStatisticsView'>> => {
  const from = new Date(Date.now() - dayMs).toISOString();
  return answer(
    api.GET('/api/v1/statistics/messages', { params: { query: { from, step: 'hour', app_id: appId } }, signal }),
  );
};

export const useDayOfApps = () =>
  useProjectQuery(['statistics', 'apps'], (signal) => askDay(signal), { refetchInterval: activityMs });

export const dayQuestion = (appId: string): Question<Schema<'MessageStatisticsView'>> => [
  ['statistics', 'apps', appId],
  (signal) => askDay(signal, appId),
];

export const useDayOfApp = (appId: string) => useProjectQuery(...dayQuestion(appId), { refetchInterval: activityMs });

/** When the App last received a message; null: never, or longer ago than events are kept. */
export const useLastMessage = (appId: string) =>
  useProjectQuery(
    ['events', 'last-of', appId],
    async (signal) => {
      const query = { app_id: appId, limit: 1 };
      const { data } = await answer(api.GET('/api/v1/events', { params: { query }, signal }));
      return data[0]?.received_at ?? null;
    },
    { refetchInterval: activityMs },
  );

export const sumOf = (counts: readonly { count: number }[]): number =>
  counts.reduce((sum, { count }) => sum + count, 0);

/** Requests that the ingress refused, and those that the App's adapter refused afterwards. */
export const refusedIn = ({ refused, outcomes }: Pick<Schema<'CountsView'>, 'refused' | 'outcomes'>): number =>
  sumOf(refused) + (outcomes.find(({ outcome }) => outcome === 'refused')?.count ?? 0);

export const labelled = (counts: readonly Schema<'LabelCount'>[], label: string): number =>
  counts.find((one) => one.label === label)?.count ?? 0;
