import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api, type Schema } from '../../../api/client.js';
import { useProjectQuery } from '../../../api/project-query.js';
import { useScope } from '../../../api/session.js';
import { own } from '../../../own.js';
import { eventToDo } from '../../../texts/event.js';
import { unread } from '../../../texts/ui.js';
import { type Tone, toneOf } from '../../../ui/status-badge.js';
import type { EventDetail } from './steps.js';

export interface Answer {
  /** The state in one word. */
  status: string;
  tone: Tone;
  /** Why, in the API's words. */
  why: string;
  toDo: (typeof eventToDo)[string] | null;
}

/** The outcome of an event, and what a person can do about it. */
export function answerOf({ state: status, why, reason, result }: EventDetail): Answer {
  const code = result ? result.reason : reason;
  return {
    status,
    tone: toneOf(status),
    why,
    toDo: own(eventToDo, `${status}:${code}`) ?? own(eventToDo, status) ?? null,
  };
}

/** Outcomes of messages that a person may still let through. */
const kept = [
  'dropped_bot',
  'dropped_echo',
  'loop_paused',
  'held_unknown_sender',
  'blocked_contact',
  'ignored',
  'parked',
];

/** Messages of an event that were held and not released since. */
export function keptMessages({ messages }: EventDetail): string[] {
  return messages.filter(({ outcome, released_at }) => kept.includes(outcome) && !released_at).map(({ id }) => id);
}

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

/** The run of a turn; a null id asks for none. */
export function useRun(eventId: string, id: string | null): UseQueryResult<Schema<'RunDetailView'>> {
  return useProjectQuery(
    ['event', eventId, 'run', id],
    (signal) => answer(api.GET('/api/v1/runs/{id}', { params: { path: { id: id ?? '' } }, signal })),
    { enabled: useScope('workflows:read') && id !== null },
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
