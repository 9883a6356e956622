import { useThrottledCallback } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { type StreamState, useEventStream } from './event-stream.js';
import { projectKey, useProjectId } from './project-query.js';
import { useScope } from './session.js';

const everyMs = 1_000;

/** Refetches what is under a key whenever something happens to an event of the project. */
export function useLiveRefresh(key: string): StreamState {
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  const refresh = useThrottledCallback(
    () => void queryClient.invalidateQueries({ queryKey: projectKey(projectId, [key]) }),
    everyMs,
  );
  return useEventStream({ path: '/api/v1/events/stream', enabled: useScope('events:read'), onMessage: refresh });
}
