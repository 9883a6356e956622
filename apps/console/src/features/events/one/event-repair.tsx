import { notifications } from '@mantine/notifications';
import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answer, api } from '../../../api/client.js';
import { projectKey, useProjectId, useProjectQuery } from '../../../api/project-query.js';
import { useScope } from '../../../api/session.js';
import { eventPageTexts } from '../../../texts/event.js';
import { ConfirmButton } from '../../../ui/action-button.js';
import { ProblemAlert } from '../../../ui/notices.js';
import type { EventDetail } from './steps.js';
import { keptMessages } from './use-event.js';

/** Continues a part of an event, and refetches the event. */
export function useRepair<Result, Given = void>(
  eventId: string,
  repair: (given: Given) => Promise<Result>,
): UseMutationResult<Result, Error, Given> {
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  return useMutation({
    mutationFn: repair,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['event', eventId]) });
      await queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['events']) });
    },
  });
}

export const redriveDelivery = (id: string) =>
  answer(api.POST('/api/v1/deliveries/{id}/redrive', { params: { path: { id } } }));

const redriveLetter = (id: string) =>
  answer(api.POST('/api/v1/events/dead-letters/{id}/redrive', { params: { path: { id } } }));

const release = (message_ids: string[]) => answer(api.POST('/api/v1/held-messages/release', { body: { message_ids } }));

/** The target that takes the event instead of what the rules choose. */
export type ReplayTarget = { workflow_id: number } | { agent_id: string };

export const replayEvent = (id: string, deliver: boolean, target?: ReplayTarget) =>
  answer(api.POST('/api/v1/events/{id}/replay', { params: { path: { id } }, body: { deliver, ...target } }));

export const replayRun = (id: string) =>
  answer(api.POST('/api/v1/runs/{id}/replay', { params: { path: { id } }, body: { deliver: false } }));

const texts = eventPageTexts.actions;

/** The one button that continues what stopped: a dead letter, or a held message. */
export function EventRepair({ event, status }: { event: EventDetail; status: string }): ReactNode {
  const mayWrite = useScope('events:write');
  const kept = keptMessages(event);
  if (!mayWrite) return null;
  if (kept.length > 0) return <Release eventId={event.id} messageIds={kept} />;
  return ['dead', 'failed', 'undelivered'].includes(status) ? <Redrive event={event} /> : null;
}

function Release({ eventId, messageIds }: { eventId: string; messageIds: string[] }): ReactNode {
  const repair = useRepair(eventId, async () => {
    const { released } = await release(messageIds);
    notifications.show({ message: released.length > 0 ? texts.released : texts.stillKept });
  });
  return (
    <>
      <ConfirmButton question={texts.releaseQuestion} loading={repair.isPending} onConfirm={() => repair.mutate()}>
        {texts.release}
      </ConfirmButton>
      <ProblemAlert error={repair.error} />
    </>
  );
}

function Redrive({ event }: { event: EventDetail }): ReactNode {
  const letters = useProjectQuery(['event', event.id, 'letters'], async (signal) => {
    const query = { event_id: event.id, state: 'open' as const, limit: 1 };
    return (await answer(api.GET('/api/v1/events/dead-letters', { params: { query }, signal }))).data;
  });
  const letter = letters.data?.[0];
  const repair = useRepair(event.id, redriveLetter);
  if (!letter) return null;
  return (
    <>
      <ConfirmButton
        question={texts.redriveQuestion}
        variant="filled"
        loading={repair.isPending}
        onConfirm={() => repair.mutate(letter.id)}
      >
        {texts.redrive}
      </ConfirmButton>
      <ProblemAlert error={repair.error} />
    </>
  );
}
