import type { UseQueryResult } from '@tanstack/react-query';
import { allPages } from './all-pages.js';
import { answer, api } from './client.js';
import { useProjectQuery } from './project-query.js';
import type { Schema } from './named-schema.js';
import { uiTexts, unread } from '../texts/ui.js';

/** The project's agents. Many pages show an agent's name for its id. */
export function useAgents(options: { enabled?: boolean } = {}): UseQueryResult<Schema<'AgentView'>[]> {
  return useProjectQuery(
    ['agents', 'all'],
    (signal) => allPages((query) => answer(api.GET('/api/v1/agents', { params: { query }, signal }))),
    options,
  );
}

/** Names an agent in a sentence, as `useAppName` names an App. Null is the Chief of Staff. */
export function useAgentName(): (id: string | null) => string {
  const { data = [], isPending } = useAgents();
  return (id) =>
    isPending
      ? unread
      : (data.find((agent) => (id === null ? agent.is_chief_of_staff : agent.id === id))?.name ??
        id ??
        uiTexts.chiefOfStaff);
}
