import { Drawer, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../../api/client.js';
import { projectKey, useProjectId } from '../../../api/project-query.js';
import { eventPageTexts } from '../../../texts/event.js';
import { CodeEditor } from '../../../ui/code-editor.js';
import { JsonView } from '../../../ui/json-view.js';
import { ProblemAlert } from '../../../ui/notices.js';
import { StatusBadge } from '../../../ui/status-badge.js';
import type { EventDetail } from './steps.js';

const route = getRouteApi('/p/$projectId/events/$eventId');
const texts = eventPageTexts.test;
const typingMs = 300;

/** Tries a condition on this event as it is typed. The condition is in the URL, so that it can be shared. */
export function TestFilter({ event }: { event: EventDetail }): ReactNode {
  const { test } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/events/$eventId' });
  const write = (where: string | undefined): void =>
    void navigate({ search: (before) => ({ ...before, test: where }), replace: true, resetScroll: false });
  const ask = useDebouncedCallback(write, typingMs);
  return (
    <Drawer
      opened={test !== undefined}
      onClose={() => {
        // What was typed last would open it again.
        ask.cancel();
        write(undefined);
      }}
      position="right"
      size="lg"
      title={texts.title}
      padding="lg"
    >
      {test !== undefined && <Trial event={event} where={test} onChange={ask} />}
    </Drawer>
  );
}

interface TrialProps {
  event: EventDetail;
  where: string;
  onChange: (where: string) => void;
}

function Trial({ event, where, onChange }: TrialProps): ReactNode {
  const projectId = useProjectId();
  const [typed, setTyped] = useState(where);
  const { data, error } = useQuery({
    queryKey: projectKey(projectId, ['dry-run', event.id, where]),
    queryFn: ({ signal }) =>
      answer(
        api.POST('/api/v1/triggers/dry-run', {
          body: { app_id: event.app_id ?? '', event_id: event.id, where: where || undefined },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const message = event.messages[0]?.message;
  return (
    <Stack gap="md">
      <Text c="dimmed">{texts.text}</Text>
      <CodeEditor
        label={texts.field}
        language="text"
        height={96}
        value={typed}
        onChange={(value) => {
          setTyped(value);
          onChange(value);
        }}
      />
      <Text size="xs" c="dimmed">
        {texts.hint}
      </Text>
      <ProblemAlert error={error} />
      {data ? <Tried result={data} /> : <Skeleton height={60} />}
      {message && (
        <div>
          <Text fw={500} mb={4}>
            {texts.metadata}
          </Text>
          <JsonView label={texts.metadata} value={message.metadata ?? {}} depth={2} />
        </div>
      )}
    </Stack>
  );
}

const verdictTexts = { matched: texts.matches, filtered: texts.filtered, filter_error: texts.error } as const;
const tones = { matched: 'good', filtered: 'quiet', filter_error: 'bad' } as const;

function Tried({ result: { problem, verdicts } }: { result: Schema<'DryRunView'> }): ReactNode {
  if (problem) return <Text c="var(--mantine-color-error)">{problem.message}</Text>;
  const tried = verdicts[0];
  if (!tried) return <Text c="dimmed">{texts.noMessage}</Text>;
  return (
    <div aria-live="polite">
      <Text fw={600}>
        {verdictTexts[tried.verdict]} <StatusBadge status={tried.verdict} tone={tones[tried.verdict]} />
      </Text>
      {tried.clauses.length > 0 && (
        <Table fz="sm" verticalSpacing={4} mt="xs" aria-label={texts.field}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.clause}</Table.Th>
              <Table.Th>{texts.seen}</Table.Th>
              <Table.Th>{texts.result}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {tried.clauses.map(({ clause, seen, result }) => (
              <Table.Tr key={clause}>
                <Table.Td>
                  <code>{clause}</code>
                </Table.Td>
                <Table.Td>
                  <code>{seen}</code>
                </Table.Td>
                <Table.Td>{texts.results[result]}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </div>
  );
}
