import { answer, api } from '../../api/client.js';
import { type Question, useProjectQuery } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';

const dayMs = 86_400_000;
const againMs = 60_000;

/** Counts of the last 24 hours, of one App or of each. */
const askDay = (signal: AbortSignal, appId?: string): Promise<Schema<'MessageStatisticsView'>> => {
  const from = new Date(Date.now() - dayMs).toISOString();
  return answer(
    api.GET('/api/v1/statistics/messages', { params: { query: { from, step: 'hour', app_id: appId } }, signal }),
  );
};

export const useDayOfApps = () =>
  useProjectQuery(['statistics', 'apps'], (signal) => askDay(signal), { refetchInterval: againMs });

export const dayQuestion = (appId: string): Question<Schema<'MessageStatisticsView'>> => [
  ['statistics', 'apps', appId],
  (signal) => askDay(signal, appId),
];

export const useDayOfApp = (appId: string) => useProjectQuery(...dayQuestion(appId), { refetchInterval: againMs });

/** When the App last received a message; null: never, or longer ago than events are kept. */
export const useLastMessage = (appId: string) =>
  useProjectQuery(
    ['events', 'last-of', appId],
    async (signal) => {
      const query = { app_id: appId, limit: 1 };
      const { data } = await answer(api.GET('/api/v1/events', { params: { query }, signal }));
      return data[0]?.received_at ?? null;
    },
    { refetchInterval: againMs },
  );

export const sumOf = (counts: readonly { count: number }[]): number =>
  counts.reduce((sum, { count }) => sum + count, 0);

export const labelled = (counts: readonly Schema<'LabelCount'>[], label: string): number =>
  counts.find((one) => one.label === label)?.count ?? 0;
