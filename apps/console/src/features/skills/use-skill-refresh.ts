import { useQueryClient } from '@tanstack/react-query';
import { projectKey, useProjectId } from '../../api/project-query.js';

/** Refetches Skills, and the agents that get tools from them. */
export function useSkillRefresh(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  return () =>
    Promise.all(
      ['skills', 'agents', 'tools'].map((key) =>
        queryClient.invalidateQueries({ queryKey: projectKey(projectId, [key]) }),
      ),
    );
}
