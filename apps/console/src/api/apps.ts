import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api } from './client.js';
import { type Question, useProjectQuery } from './project-query.js';
import type { Schema } from './named-schema.js';
import { unread } from '../texts/ui.js';

/** The project's Apps. Many pages show an App's name for its id. */
export const useApps = (options: { refetchInterval?: number } = {}): UseQueryResult<Schema<'AppView'>[]> =>
  useProjectQuery(...appsQuestion, options);

export const appsQuestion: Question<Schema<'AppView'>[]> = [
  ['apps', 'all'],
  async (signal) => (await answer(api.GET('/api/v1/apps', { signal }))).data,
];

/** Names an App in a sentence. On its own, use `<AppName>`. */
export function useAppName(): (id: string | null) => string {
  const { data = [], isPending } = useApps();
  return (id) => (isPending ? unread : (data.find((app) => app.id === id)?.name ?? id ?? ''));
}
