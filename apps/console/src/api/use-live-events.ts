import { useThrottledCallback } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { type StreamState, useEventStream } from './event-stream.js';
import { projectKey, useProjectId } from './project-query.js';

/** Lists are refetched at most this often. */
const everyMs = 1_000;

interface Live {
  appId?: string;
  /** Only this event. */
  eventId?: string;
  enabled?: boolean;
}

/** Refetches events as something happens to them. */
export function useLiveEvents({ appId, eventId, enabled = true }: Live): StreamState {
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  const key = projectKey(projectId, eventId ? ['event', eventId] : ['events']);
  const refresh = useThrottledCallback(() => void queryClient.invalidateQueries({ queryKey: key }), everyMs);
  const query = new URLSearchParams();
  if (appId) query.set('app_id', appId);
  if (eventId) query.set('event_id', eventId);
  return useEventStream({ path: `/api/v1/events/stream?${query}`, enabled, onMessage: refresh });
}
