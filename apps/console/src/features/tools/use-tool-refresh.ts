import { useQueryClient } from '@tanstack/react-query';
import { projectKey, useProjectId } from '../../api/project-query.js';

/** Refetches every tool that is shown. */
export function useToolRefresh(): () => Promise<void> {
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  return () => queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['tools']) });
}
