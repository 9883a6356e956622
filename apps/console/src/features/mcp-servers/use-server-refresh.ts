import { useQueryClient } from '@tanstack/react-query';
import { projectKey, useProjectId } from '../../api/project-query.js';

/** Refetches servers and what they provide. */
export function useServerRefresh(): () => Promise<unknown> {
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  return () =>
    Promise.all(
      ['mcp-servers', 'tools', 'skills'].map((key) =>
        queryClient.invalidateQueries({ queryKey: projectKey(projectId, [key]) }),
      ),
    );
}
