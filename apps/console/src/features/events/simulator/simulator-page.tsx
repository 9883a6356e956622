import { Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import type { ReactNode } from 'react';
import { useApps } from '../../../api/choices.js';
import { answer, api, type Schema } from '../../../api/client.js';
import { useLiveEvents } from '../../../api/event-stream.js';
import { simulatorTexts } from '../../../texts/events.js';
import { CodeBlock } from '../../../ui/code-block.js';
import { ProjectLink } from '../../../ui/links.js';
import { LiveDot } from '../../../ui/live-dot.js';
import { EmptyState, ProblemAlert } from '../../../ui/notices.js';
import { duration } from '../../../ui/numbers.js';
import { Disclosure, Page, Section } from '../../../ui/page.js';
import { StatusBadge } from '../../../ui/status-badge.js';
import { EventAnswer } from '../one/event-answer.js';
import { EventTimeline } from '../one/event-timeline.js';
import { useEvent } from '../one/use-event.js';
import { SampleForm } from './sample-form.js';

const route = getRouteApi('/p/$projectId/simulator');

interface Sending {
  appId: string;
  sample: Schema<'SendSample'>;
}

/** Acts as the provider of an App. */
export function SimulatorPage(): ReactNode {
  const search = route.useSearch();
  const { data: apps, error } = useApps();
  const send = useMutation({
    mutationFn: ({ appId, sample }: Sending) =>
      answer(api.POST('/api/v1/apps/{id}/samples', { params: { path: { id: appId } }, body: sample })),
  });
  const receiving = (apps ?? []).filter(({ capabilities }) => capabilities.includes('receive'));
  const app = receiving.find(({ id }) => id === search.app) ?? receiving[0];
  return (
    <Page title={simulatorTexts.title} description={simulatorTexts.description}>
      <ProblemAlert error={error} />
      {!apps && !error && <Skeleton height={420} />}
      {apps && !app && <EmptyState icon={FlaskConical} {...simulatorTexts.noApps} />}
      {app && (
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md" style={{ alignItems: 'start' }}>
          <SampleForm
            key={app.id}
            app={app}
            apps={receiving}
            search={search}
            sending={send.isPending}
            onSend={(sample) => send.mutate({ appId: app.id, sample })}
          />
          <div aria-live="polite">
            {send.error && <ProblemAlert error={send.error} />}
            {send.data && <SampleResult result={send.data} />}
            {!send.data && !send.error && (
              <Section title={simulatorTexts.answer}>
                <Text c="dimmed">{simulatorTexts.waiting}</Text>
              </Section>
            )}
          </div>
        </SimpleGrid>
      )}
    </Page>
  );
}

const texts = simulatorTexts;
type Sample = Schema<'SampleView'>;

/** The HTTP answer, and the timeline of the resulting event, live. */
function SampleResult({ result }: { result: Sample }): ReactNode {
  return (
    <Stack gap="md">
      <Section title={texts.answer} actions={<HttpStatus result={result} />}>
        <Stack gap="sm">
          {!result.event_id && <Text fw={500}>{result.answer ? texts.refused : texts.noAnswer}</Text>}
          {result.duplicate && <Text fw={500}>{texts.duplicate}</Text>}
          {result.error && <ProblemAlert error={new Error(result.error.detail)} />}
          {result.answer && <CodeBlock label={texts.answered} code={result.answer.body} wrap />}
          <Disclosure label={texts.sentRequest}>
            <CodeBlock label={texts.sentRequest} code={requestText(result.sent)} wrap />
          </Disclosure>
          {result.event_id && <ProjectLink path={`/events/${result.event_id}`}>{texts.openEvent}</ProjectLink>}
        </Stack>
      </Section>
      {result.event_id && <Followed eventId={result.event_id} />}
    </Stack>
  );
}

const firstError = 400;

function HttpStatus({ result: { answer, took_ms } }: { result: Sample }): ReactNode {
  return (
    <Group gap="xs">
      {answer && <StatusBadge status={String(answer.status)} tone={answer.status < firstError ? 'good' : 'bad'} />}
      <Text size="sm" c="dimmed">
        {duration(took_ms)}
      </Text>
    </Group>
  );
}

function Followed({ eventId }: { eventId: string }): ReactNode {
  const { data: event } = useEvent(eventId);
  const stream = useLiveEvents({ eventId });
  if (!event) return <Skeleton height={240} />;
  return (
    <>
      <LiveDot state={stream} />
      <EventAnswer event={event} />
      <EventTimeline event={event} />
    </>
  );
}

function requestText({ method, url, headers, body }: Sample['sent']): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${url}`, ...lines, '', body].join('\n');
}
