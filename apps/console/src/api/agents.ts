import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api } from './client.js';
import { useProjectQuery } from './project-query.js';
import type { Schema } from './named-schema.js';

const most = 200;

/** The project's agents: many pages name one by its id. */
export function useAgents(): UseQueryResult<Schema<'AgentView'>[]> {
  return useProjectQuery(['agents', 'all'], async (signal) => {
    const { data } = await answer(api.GET('/api/v1/agents', { params: { query: { limit: most } }, signal }));
    return data;
  });
}

/** How to write an agent's id: by its name, where there is one. Null is the Chief of Staff. */
export function useAgentName(): (id: string | null) => string {
  const { data = [] } = useAgents();
  return (id) =>
    data.find((agent) => (id === null ? agent.is_chief_of_staff : agent.id === id))?.name ?? id ?? 'Chief of Staff';
}
