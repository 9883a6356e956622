import { Skeleton, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAppName } from '../../api/apps.js';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { eventTexts } from '../../texts/events.js';
import { CopyText } from '../../ui/copy-text.js';
import { JsonView } from '../../ui/json-view.js';
import { LiveDot } from '../../ui/live-dot.js';
import { Page } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { Section } from '../../ui/section.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { EventTimeline } from './event-timeline.js';
import { useLiveEvents } from '../../api/use-live-events.js';

const route = getRouteApi('/p/$projectId/events/$eventId');
const texts = eventTexts.one;

export function EventPage(): ReactNode {
  const { projectId, eventId } = route.useParams();
  const appName = useAppName();
  const {
    data: event,
    error,
    refetch,
  } = useProjectQuery(['event', eventId], (signal) =>
    answer(api.GET('/api/v1/events/{id}', { params: { path: { id: eventId } }, signal })),
  );
  const stream = useLiveEvents({ eventId });
  const status = event?.result?.state ?? event?.outcome ?? 'open';
  return (
    <Page
      title={texts.title}
      mark={event && <StatusBadge status={status} />}
      description={<CopyText text={eventId} label={event ? appName(event.app_id) : undefined} />}
      breadcrumbs={[{ label: eventTexts.title, to: { to: '/p/$projectId/events', params: { projectId } } }]}
      actions={<LiveDot state={stream} />}
    >
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!event && !error && <Skeleton height={320} />}
      {event && (
        <Stack gap="md">
          <Section title={texts.why}>
            <Text>
              {event.result?.text ??
                event.reason ??
                (event.outcome ? <StatusBadge status={event.outcome} /> : texts.inProgress)}
            </Text>
          </Section>
          <Section title={texts.timeline}>
            <EventTimeline entries={event.timeline} />
          </Section>
          {event.messages.length > 0 && (
            <Section title={texts.messages}>
              <JsonView label={texts.messages} value={event.messages} />
            </Section>
          )}
          {event.runs.length > 0 && (
            <Section title={texts.runs}>
              <JsonView label={texts.runs} value={event.runs} />
            </Section>
          )}
        </Stack>
      )}
    </Page>
  );
}
