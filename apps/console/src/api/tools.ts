import type { UseQueryResult } from '@tanstack/react-query';
import { allPages } from './all-pages.js';
import { answer, api } from './client.js';
import { useProjectQuery } from './project-query.js';
import type { Schema } from './named-schema.js';

/** Every tool of the project, for choosing and for naming by id. */
export function useTools(
  options: { enabled?: boolean; refetchInterval?: number } = {},
): UseQueryResult<Schema<'ToolView'>[]> {
  return useProjectQuery(
    ['tools', 'all'],
    (signal) => allPages((query) => answer(api.GET('/api/v1/tools', { params: { query }, signal }))),
    options,
  );
}
