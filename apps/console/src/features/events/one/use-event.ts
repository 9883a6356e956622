import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api } from '../../../api/client.js';
import { useProjectQuery } from '../../../api/project-query.js';
import type { Schema } from '../../../api/named-schema.js';
import { unread } from '../../../texts/ui.js';
import { answerOf } from './answer-of.js';
import type { EventDetail } from './stations.js';

/** All queries of an event are below `['event', id]`, so that they refresh together. */
export function useEvent(id: string): UseQueryResult<EventDetail> {
  return useProjectQuery(
    ['event', id],
    (signal) => answer(api.GET('/api/v1/events/{id}', { params: { path: { id } }, signal })),
    { refetchInterval },
  );
}

const inFlightMs = 2_000;
/** Waiting for a person or for something that is down takes longer. */
const waitingMs = 15_000;

/** The stream reports only what happens after it opened; polling finds what happened before. */
function refetchInterval(event: EventDetail | undefined): number | false {
  if (!event) return inFlightMs;
  const { status, tone } = answerOf(event);
  if (status === 'waiting') return waitingMs;
  return tone === 'busy' && inFlightMs;
}

export function useRequest(id: string, enabled: boolean): UseQueryResult<Schema<'EventRequestView'>> {
  return useProjectQuery(
    ['event-request', id],
    (signal) => answer(api.GET('/api/v1/events/{id}/request', { params: { path: { id } }, signal })),
    { enabled },
  );
}

export function useTurn(eventId: string, id: string | null, enabled: boolean): UseQueryResult<Schema<'TurnView'>> {
  return useProjectQuery(
    ['event', eventId, 'turn', id],
    (signal) => answer(api.GET('/api/v1/turns/{id}', { params: { path: { id: id ?? '' } }, signal })),
    { enabled: enabled && id !== null },
  );
}

export function useDeliveries(eventId: string, enabled: boolean): UseQueryResult<Schema<'DeliveryView'>[]> {
  return useProjectQuery(
    ['event', eventId, 'deliveries'],
    async (signal) => {
      const query = { event_id: eventId, limit: 50 };
      return (await answer(api.GET('/api/v1/deliveries', { params: { query }, signal }))).data;
    },
    { enabled },
  );
}

export function useWorkflows(): UseQueryResult<Schema<'WorkflowView'>[]> {
  return useProjectQuery(['workflows', 'names'], async (signal) => {
    return (await answer(api.GET('/api/v1/workflows', { signal }))).data;
  });
}

export function useWorkflowNames(): (id: number) => string {
  const { data = [], isPending } = useWorkflows();
  return (id) => (isPending ? unread : (data.find((workflow) => workflow.id === id)?.name ?? `#${id}`));
}
