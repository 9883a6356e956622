import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api } from './client.js';
import { useProjectQuery } from './project-query.js';
import type { Schema } from './named-schema.js';

const pageSize = 200;

/** Every tool of the project, for choosing and for naming by id. */
export function useTools(options: { enabled?: boolean } = {}): UseQueryResult<Schema<'ToolView'>[]> {
  return useProjectQuery(
    ['tools', 'all'],
    async (signal) => {
      const tools: Schema<'ToolView'>[] = [];
      let cursor: string | undefined;
      do {
        const query = { limit: pageSize, cursor };
        const page = await answer(api.GET('/api/v1/tools', { params: { query }, signal }));
        tools.push(...page.data);
        cursor = page.next_cursor ?? undefined;
      } while (cursor);
      return tools;
    },
    options,
  );
}
