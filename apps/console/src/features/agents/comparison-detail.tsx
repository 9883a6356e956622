import { Button, Group, Progress, Skeleton, Stack, Table, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useCursorList, useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useCost } from '../../api/usage.js';
import { useChange } from '../../api/use-change.js';
import { comparisonTexts as texts } from '../../texts/comparisons.js';
import { ActionButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { TextLink } from '../../ui/links.js';
import { ProblemAlert } from '../../ui/notices.js';
import { duration, grouped } from '../../ui/numbers.js';
import { Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { KeepAsSet } from './case-sets.js';
import { ComparedCase } from './compared-case.js';

const route = getRouteApi('/p/$projectId/agents/$agentId');
const everyMs = 1_500;
const pageSize = 20;
type Comparison = Schema<'ComparisonView'>;

/** One comparison: its totals, then each message with both answers. */
export function ComparisonDetail({ agentId, id }: { agentId: string; id: string }): ReactNode {
  const { projectId } = route.useParams();
  const mayReadMessages = useScope('events:read');
  const params = { path: { id: agentId, comparison: id } };
  const { data, error, refetch } = useProjectQuery(
    ['comparisons', agentId, id],
    (signal) => answer(api.GET('/api/v1/agents/{id}/comparisons/{comparison}', { params, signal })),
    { refetchInterval: (last) => (last?.state === 'running' ? everyMs : false) },
  );
  return (
    <Stack gap="md">
      <TextLink
        size="sm"
        to={{ to: '/p/$projectId/agents/$agentId', params: { projectId, agentId }, search: { tab: 'compare' } }}
      >
        {texts.all}
      </TextLink>
      {error && !data && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={320} />}
      {data && <Totals agentId={agentId} comparison={data} />}
      {data && mayReadMessages && <Cases agentId={agentId} comparison={data} />}
    </Stack>
  );
}

function Totals({ agentId, comparison }: { agentId: string; comparison: Comparison }): ReactNode {
  const { id, state, cases, open, baseline, candidate, judge, judging, ties } = comparison;
  const reason = useReason('agents:write');
  const cancel = useChange(async () => {
    const params = { path: { id: agentId, comparison: id } };
    await answer(api.POST('/api/v1/agents/{id}/comparisons/{comparison}/cancel', { params }));
  }, 'comparisons');
  const title = texts.title(baseline.version, candidate.version);
  return (
    <Section
      title={title}
      actions={
        <Group gap="sm">
          <StatusBadge status={state} label={texts.states[state]} />
          {state === 'running' && (
            <ActionButton
              variant="default"
              size="compact-sm"
              reason={reason}
              loading={cancel.isPending}
              onClick={() => cancel.mutate()}
            >
              {texts.cancel}
            </ActionButton>
          )}
        </Group>
      }
    >
      <Stack gap="sm">
        <ProblemAlert error={cancel.error} />
        {state === 'running' && (
          <Progress value={((cases - open) / cases) * 100} aria-label={texts.progress(cases - open, cases)} />
        )}
        <Text size="sm" c="dimmed" aria-live="polite">
          {texts.progress(cases - open, cases)}
          {judge && ` · ${texts.ties(ties)} · ${texts.judging(grouped(judging.tokens))}`}
        </Text>
        <TotalsTable label={title} comparison={comparison} />
        <KeepAsSet agentId={agentId} comparison={comparison} />
      </Stack>
    </Section>
  );
}

function TotalsTable({ label, comparison }: { label: string; comparison: Comparison }): ReactNode {
  const { baseline, candidate, rules_checked: checked, judge, done } = comparison;
  const costOf = useCost();
  const sides = [baseline, candidate];
  const { rows: names } = texts;
  const rows: (readonly [string, ...string[]])[] = [
    ...(judge ? [[names.preferred, ...sides.map((side) => texts.ofAll(side.preferred, done))] as const] : []),
    ...(checked > 0 ? [[names.rules, ...sides.map((side) => texts.ofAll(side.rules_held, checked))] as const] : []),
    [names.failed, ...sides.map((side) => grouped(side.failed))],
    [names.tokens, ...sides.map((side) => grouped(side.tokens))],
    [names.cost, ...sides.map((side) => costOf(side.cost_micros))],
    [names.time, ...sides.map((side) => duration(side.duration_ms))],
    [names.calls, ...sides.map((side) => grouped(side.calls))],
    [names.missed, ...sides.map((side) => grouped(side.missed))],
  ];
  return (
    <Table aria-label={label} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{texts.measure}</Table.Th>
          {sides.map(({ version }, at) => (
            <Table.Th key={at}>{texts.version(version)}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(([name, ...values]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row" fw={400}>
              {name}
            </Table.Th>
            {values.map((value, at) => (
              <Table.Td key={at}>{value}</Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Cases({ agentId, comparison }: { agentId: string; comparison: Comparison }): ReactNode {
  const list = useCursorList(
    ['comparisons', agentId, comparison.id, 'cases'],
    (cursor, signal) => {
      const params = { path: { id: agentId, comparison: comparison.id }, query: { limit: pageSize, cursor } };
      return answer(api.GET('/api/v1/agents/{id}/comparisons/{comparison}/cases', { params, signal }));
    },
    { refetchInterval: (rows) => (rows.some(({ state }) => isOpen(state)) ? everyMs : false) },
  );
  return (
    <>
      {list.error && <ProblemAlert error={list.error} onRetry={list.refresh} />}
      {list.loading && <Skeleton height={240} />}
      {list.rows.map((one) => (
        <ComparedCase key={one.id} comparison={comparison} compared={one} />
      ))}
      {list.hasMore && (
        <Group>
          <Button variant="default" loading={list.loadingMore} onClick={list.loadMore}>
            {texts.more}
          </Button>
        </Group>
      )}
    </>
  );
}

const isOpen = (state: string): boolean => state === 'waiting' || state === 'running';
