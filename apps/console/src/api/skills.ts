import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api } from './client.js';
import { useProjectQuery } from './project-query.js';
import type { Schema } from './named-schema.js';

const most = 200;

/** The project's Skills, for choosing and for naming by id. */
export function useSkills(): UseQueryResult<Schema<'SkillView'>[]> {
  return useProjectQuery(['skills', 'all'], async (signal) => {
    const { data } = await answer(api.GET('/api/v1/skills', { params: { query: { limit: most } }, signal }));
    return data;
  });
}
