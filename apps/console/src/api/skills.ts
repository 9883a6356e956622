import type { UseQueryResult } from '@tanstack/react-query';
import { allPages } from './all-pages.js';
import { answer, api } from './client.js';
import { useProjectQuery } from './project-query.js';
import type { Schema } from './named-schema.js';

/** The project's Skills, for choosing and for naming by id. */
export function useSkills(options: { enabled?: boolean } = {}): UseQueryResult<Schema<'SkillView'>[]> {
  return useProjectQuery(
    ['skills', 'all'],
    (signal) => allPages((query) => answer(api.GET('/api/v1/skills', { params: { query }, signal }))),
    options,
  );
}
