import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { answer, api } from '../../../api/client.js';
import { useProjectQuery } from '../../../api/project-query.js';
import { useScope } from '../../../api/session.js';
import { eventPageTexts } from '../../../texts/event.js';
import { ConfirmButton } from '../../../ui/confirm-button.js';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import { keptMessages } from './answer-of.js';
import type { EventDetail } from './stations.js';
import { redriveLetter, release, useMending } from './use-mending.js';

const texts = eventPageTexts.actions;

/** The one button that continues what stopped: a dead letter, or a held message. */
export function EventMending({ event, status }: { event: EventDetail; status: string }): ReactNode {
  const mayWrite = useScope('events:write');
  const kept = keptMessages(event);
  if (!mayWrite) return null;
  if (kept.length > 0) return <Release eventId={event.id} messageIds={kept} />;
  return ['dead', 'failed', 'undelivered'].includes(status) ? <Redrive event={event} /> : null;
}

function Release({ eventId, messageIds }: { eventId: string; messageIds: string[] }): ReactNode {
  const mend = useMending(eventId, async () => {
    const { released } = await release(messageIds);
    notifications.show({ message: released.length > 0 ? texts.released : texts.stillKept });
  });
  return (
    <>
      <ConfirmButton question={texts.releaseQuestion} loading={mend.isPending} onConfirm={() => mend.mutate()}>
        {texts.release}
      </ConfirmButton>
      <ProblemAlert error={mend.error} />
    </>
  );
}

function Redrive({ event }: { event: EventDetail }): ReactNode {
  const letters = useProjectQuery(['event', event.id, 'letters'], async (signal) => {
    const query = { event_id: event.id, state: 'open' as const, limit: 1 };
    return (await answer(api.GET('/api/v1/events/dead-letters', { params: { query }, signal }))).data;
  });
  const letter = letters.data?.[0];
  const mend = useMending(event.id, redriveLetter);
  if (!letter) return null;
  return (
    <>
      <ConfirmButton
        question={texts.redriveQuestion}
        variant="filled"
        loading={mend.isPending}
        onConfirm={() => mend.mutate(letter.id)}
      >
        {texts.redrive}
      </ConfirmButton>
      <ProblemAlert error={mend.error} />
    </>
  );
}
