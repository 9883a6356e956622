import { Alert, Paper, Skeleton, Stack, Table } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { ServerOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { operationsTexts } from '../../texts/operations.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import { UrlTabs } from '../../ui/url-tabs.js';
import { AuditLog } from './audit-log.js';
import { DeadLetters } from './dead-letters.js';
import { Deliveries } from './deliveries.js';
import { Keys } from './keys.js';
import { Problems } from './problems.js';
import { Refusals } from './refusals.js';

const route = getRouteApi('/p/$projectId/operations/$section');
const { sections } = operationsTexts;

const tabs = [
  { value: 'problems', label: sections.problems.label, content: <Problems /> },
  { value: 'queues', label: sections.queues.label, content: <Queues /> },
  { value: 'dead-letters', label: sections['dead-letters'].label, content: <DeadLetters /> },
  { value: 'deliveries', label: sections.deliveries.label, content: <Deliveries /> },
  { value: 'refusals', label: sections.refusals.label, content: <Refusals /> },
  { value: 'keys', label: sections.keys.label, content: <Keys /> },
  { value: 'audit', label: sections.audit.label, content: <AuditLog /> },
] as const;

export function OperationsPage(): ReactNode {
  const { section, projectId } = route.useParams();
  const navigate = useNavigate();
  const { value } = tabs.find((tab) => tab.value === section) ?? tabs[0];
  return (
    <Page title={operationsTexts.title} description={sections[value].description}>
      <UrlTabs
        label={operationsTexts.title}
        value={value}
        tabs={tabs}
        onChange={(next) =>
          void navigate({ to: '/p/$projectId/operations/$section', params: { projectId, section: next } })
        }
      />
    </Page>
  );
}

const texts = operationsTexts.queues;
const everyMs = 5_000;
/** A job that waits longer is stuck rather than busy. */
const slowMs = 60_000;

/** How much waits in each queue, and for how long. */
function Queues(): ReactNode {
  const { data, error, refetch } = useProjectQuery(
    ['queues'],
    (signal) => answer(api.GET('/api/v1/queues', { signal })),
    { refetchInterval: everyMs },
  );
  if (error && !data) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={320} />;
  return (
    <Stack gap="md">
      {data.silent.length > 0 && (
        <Alert color="yellow" variant="light" icon={<ServerOff size={18} aria-hidden />} title={texts.silent}>
          {data.silent.join(', ')}
        </Alert>
      )}
      <Paper p={0}>
        <Table.ScrollContainer
          minWidth={560}
          scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': texts.table } }}
        >
          <Table verticalSpacing={9} horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{texts.columns.queue}</Table.Th>
                <Table.Th>{texts.columns.service}</Table.Th>
                <Table.Th ta="right">{texts.columns.waiting}</Table.Th>
                <Table.Th ta="right">{texts.columns.active}</Table.Th>
                <Table.Th ta="right">{texts.columns.delayed}</Table.Th>
                <Table.Th ta="right">{texts.columns.oldest}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.data.map(({ queue, service, waiting, active, delayed, oldest_ms }) => (
                <Table.Tr key={queue}>
                  <Table.Th scope="row" fw={500}>
                    {queue}
                  </Table.Th>
                  <Table.Td>{service}</Table.Td>
                  <Table.Td ta="right">{waiting}</Table.Td>
                  <Table.Td ta="right">{active}</Table.Td>
                  <Table.Td ta="right">{delayed}</Table.Td>
                  <Table.Td ta="right" fw={oldest_ms > slowMs ? 600 : undefined}>
                    {waiting + active + delayed === 0 ? texts.empty : texts.age(oldest_ms)}
                    {oldest_ms > slowMs && ` ${texts.slow}`}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Paper>
    </Stack>
  );
}
