import { List, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { projectKey, useProjectId } from '../../api/project-query.js';
import { scheduleTexts } from '../../texts/schedules.js';
import { fieldError } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';

const texts = scheduleTexts.next;
const typingMs = 300;
const everyMs = 30_000;

/** What the API says of the times as they are typed: for the fields, and for the list beside them. */
export function useNextTimes(cron: string, zone: string) {
  const projectId = useProjectId();
  const [asked] = useDebouncedValue(JSON.stringify({ cron, time_zone: zone }), typingMs);
  return useQuery({
    queryKey: projectKey(projectId, ['schedules', 'times', asked]),
    enabled: cron.trim() !== '',
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
    retry: false,
    queryFn: async ({ signal }) => {
      const body = JSON.parse(asked) as { cron: string; time_zone: string };
      const { next } = await answer(api.POST('/api/v1/schedules/times', { body, signal }));
      return { next, zone: body.time_zone };
    },
  });
}

/** The next ten times, on the clocks of the schedule. */
export function NextTimes({ times: { data, error } }: { times: ReturnType<typeof useNextTimes> }): ReactNode {
  const wrong = fieldError(error, 'cron') ?? fieldError(error, 'time_zone');
  const shown = error ? undefined : data;
  return (
    <Section title={texts.title}>
      {!shown && <Text c="dimmed">{wrong ?? texts.none}</Text>}
      {shown && (
        <>
          <Text size="sm" c="dimmed">
            {texts.zone(shown.zone)}
          </Text>
          <List type="ordered" my="xs" size="sm">
            {shown.next.map((at) => (
              <List.Item key={at}>
                <time dateTime={at}>{on(at, shown.zone)}</time>
              </List.Item>
            ))}
          </List>
        </>
      )}
      <Text size="xs" c="dimmed">
        {texts.clocks}
      </Text>
    </Section>
  );
}

/** A time on the clocks of a zone, with how far they are ahead. */
export function on(at: string, zone: string): string {
  return new Intl.DateTimeFormat(undefined, {
    timeZone: zone,
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'shortOffset',
  }).format(new Date(at));
}
