import { answer, api, type Schema } from '../../api/client.js';
import type { Page, Question } from '../../api/project-query.js';

const recent = 8;

export const recentKey = ['events', 'recent'] as const;
export const askRecent = (_cursor: string | undefined, signal: AbortSignal): Promise<Page<Schema<'EventView'>>> =>
  answer(api.GET('/api/v1/events', { params: { query: { limit: recent } }, signal }));

export const lastHourQuestion: Question<Schema<'MessageStatisticsView'>> = [
  ['statistics', 'hour'],
  (signal) => answer(api.GET('/api/v1/statistics/messages', { params: { query: { step: 'minute' } }, signal })),
];

export const queuesQuestion: Question<Schema<'QueueListView'>> = [
  ['queues'],
  (signal) => answer(api.GET('/api/v1/queues', { signal })),
];

export const modelQuestion: Question<Schema<'ModelSettingsView'>> = [
  ['model'],
  (signal) => answer(api.GET('/api/v1/model', { signal })),
];

/** The requests of Verify remain as events. */
export const verificationQuestion: Question<boolean> = [
  ['events', 'verification'],
  async (signal) => {
    const query = { outcome: 'verification', limit: 1 } as const;
    return (await answer(api.GET('/api/v1/events', { params: { query }, signal }))).data.length > 0;
  },
];
