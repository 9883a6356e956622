import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api } from './client.js';
import { type Question, useProjectQuery } from './project-query.js';
import type { Schema } from './named-schema.js';
import { unread } from '../texts/ui.js';

/** The project's Apps: many pages name one by its id. */
export const useApps = (): UseQueryResult<Schema<'AppView'>[]> => useProjectQuery(...appsQuestion);

export const appsQuestion: Question<Schema<'AppView'>[]> = [
  ['apps', 'all'],
  async (signal) => (await answer(api.GET('/api/v1/apps', { signal }))).data,
];

/** How to write an App's id in a sentence: by its name, where there is one. Alone it is an `<AppName>`. */
export function useAppName(): (id: string | null) => string {
  const { data = [], isPending } = useApps();
  return (id) => (isPending ? unread : (data.find((app) => app.id === id)?.name ?? id ?? ''));
}
