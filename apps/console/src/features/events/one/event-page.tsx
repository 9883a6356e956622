import { Skeleton, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useLiveEvents } from '../../../api/event-stream.js';
import { eventTexts } from '../../../texts/events.js';
import { eventPageTexts } from '../../../texts/event.js';
import { CopyText } from '../../../ui/copy.js';
import { LiveDot } from '../../../ui/live-dot.js';
import { AppName } from '../../../ui/name-of.js';
import { Page } from '../../../ui/page.js';
import { ProblemAlert } from '../../../ui/notices.js';
import { ProjectLink } from '../../../ui/links.js';
import { StatusBadge } from '../../../ui/status-badge.js';
import { When } from '../../../ui/when.js';
import { ContinuedRuns } from './continued-runs.js';
import { EventAnswer } from './event-answer.js';
import { EventActions } from './event-actions.js';
import { EventConversation } from './event-conversation.js';
import { EventReplays } from './event-replays.js';
import { EventTimeline } from './event-timeline.js';
import type { EventDetail } from './steps.js';
import { TestFilter } from './test-filter.js';
import { answerOf, useEvent } from './use-event.js';

const route = getRouteApi('/p/$projectId/events/$eventId');

/** From the bytes to the delivered reply, live. */
export function EventPage(): ReactNode {
  const { projectId, eventId } = route.useParams();
  const { data: event, error, refetch } = useEvent(eventId);
  const stream = useLiveEvents({ eventId });
  return (
    <Page
      title={event ? titleOf(event) : eventPageTexts.title}
      mark={event && <StatusBadge status={answerOf(event).status} />}
      description={event ? <Facts event={event} /> : <CopyText text={eventId} />}
      breadcrumbs={[{ label: eventTexts.title, to: { to: '/p/$projectId/events', params: { projectId } } }]}
      actions={
        <>
          <LiveDot state={stream} />
          {event && <EventActions event={event} />}
        </>
      }
    >
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!event && !error && <Waiting />}
      {event && (
        <Stack gap="md">
          <EventAnswer event={event} />
          <ContinuedRuns event={event} />
          <EventConversation event={event} />
          <EventReplays event={event} />
          <EventTimeline event={event} />
          <TestFilter event={event} />
        </Stack>
      )}
    </Page>
  );
}

const titleChars = 90;

/** People recognise an event by its text. */
function titleOf({ messages }: EventDetail): string {
  const text = messages[0]?.message.message.trim().split('\n')[0] ?? '';
  if (text === '') return messages[0]?.message.event_type ?? eventPageTexts.title;
  return text.length > titleChars ? `${text.slice(0, titleChars)}…` : text;
}

function Facts({ event: { id, app_id, messages, timeline } }: { event: EventDetail }): ReactNode {
  const type = messages[0]?.message.event_type;
  return (
    <Text size="sm" component="span">
      {app_id &&
        (app_id.startsWith('api:') ? (
          eventTexts.byApi
        ) : app_id.startsWith('callers:') ? (
          eventTexts.byCaller
        ) : app_id.startsWith('schedule:') ? (
          <ProjectLink path={`/schedules/${app_id.slice('schedule:'.length)}`}>{eventTexts.bySchedule}</ProjectLink>
        ) : (
          <ProjectLink path={`/integrations/${app_id}`}>
            <AppName id={app_id} />
          </ProjectLink>
        ))}
      {type && (
        <>
          {' · '}
          <code>{type}</code>
        </>
      )}{' '}
      · <When at={timeline[0]?.at} /> · <CopyText text={id} />
    </Text>
  );
}

function Waiting(): ReactNode {
  return (
    <Stack gap="md">
      <Skeleton height={76} />
      <Skeleton height={120} />
      <Skeleton height={380} />
    </Stack>
  );
}
