import { Group, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../../api/named-schema.js';
import { useLiveEvents } from '../../../api/use-live-events.js';
import { simulatorTexts } from '../../../texts/simulator.js';
import { CodeBlock } from '../../../ui/code-block.js';
import { Disclosure } from '../../../ui/disclosure.js';
import { duration } from '../../../ui/duration.js';
import { LiveDot } from '../../../ui/live-dot.js';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import { ProjectLink } from '../../../ui/project-link.js';
import { Section } from '../../../ui/section.js';
import { StatusBadge } from '../../../ui/status-badge.js';
import { EventAnswer } from '../one/event-answer.js';
import { EventWay } from '../one/event-way.js';
import { useEvent } from '../one/use-event.js';

const texts = simulatorTexts;
type Sample = Schema<'SampleView'>;

/** The HTTP answer, and the timeline of the resulting event, live. */
export function SampleResult({ result }: { result: Sample }): ReactNode {
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
      <EventWay event={event} />
    </>
  );
}

function requestText({ method, url, headers, body }: Sample['sent']): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${url}`, ...lines, '', body].join('\n');
}
