import { Button, SegmentedControl, SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { ChartColumn, Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { download } from '../../api/download.js';
import { useProjectQuery } from '../../api/project-query.js';
import { usageTexts } from '../../texts/usage.js';
import { EmptyState } from '../../ui/empty-state.js';
import { FilterBar } from '../../ui/filter-bar.js';
import { Page } from '../../ui/page.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { Section } from '../../ui/section.js';
import { StatTile } from '../../ui/stat-tile.js';
import { Budgets } from './budgets.js';
import { type Usage, written } from './measures.js';
import { UsageChart } from './usage-chart.js';
import { UsageTable } from './usage-table.js';
import { usageGroups, usageMeasures, usageSpans } from './usage-search.js';

const route = getRouteApi('/p/$projectId/usage');
const dayMs = 86_400_000;

export function UsagePage(): ReactNode {
  const { days = '30', measure = 'tokens', by = 'agent' } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/usage' });
  const from = new Date(Date.now() - (Number(days) - 1) * dayMs).toISOString().slice(0, 10);
  const { data, error, refetch } = useProjectQuery(['usage', from, by], (signal) =>
    answer(api.GET('/api/v1/usage', { params: { query: { from, group_by: `day_${by}` } }, signal })),
  );
  return (
    <Page title={usageTexts.title} description={usageTexts.description}>
      <FilterBar filtered={false} onClear={() => undefined}>
        <SegmentedControl
          aria-label={usageTexts.span}
          data={usageSpans.map((value) => ({ value, label: usageTexts.days(value) }))}
          value={days}
          onChange={(next) => void navigate({ search: (before) => ({ ...before, days: next }), replace: true })}
        />
        <SegmentedControl
          aria-label={usageTexts.measure}
          data={usageMeasures.map((value) => ({ value, label: usageTexts.measures[value] }))}
          value={measure}
          onChange={(next) => void navigate({ search: (before) => ({ ...before, measure: next }), replace: true })}
        />
        <SegmentedControl
          aria-label={usageTexts.by}
          data={usageGroups.map((value) => ({ value, label: usageTexts.groups[value] }))}
          value={by}
          onChange={(next) => void navigate({ search: (before) => ({ ...before, by: next }), replace: true })}
        />
        <ExportUsage from={from} by={by} />
      </FilterBar>
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={420} />}
      {data?.data.length === 0 && <EmptyState icon={ChartColumn} {...usageTexts.empty} />}
      {data && data.data.length > 0 && (
        <Stack gap="md">
          <Totals rows={data.data} />
          <Section title={usageTexts.overTime(usageTexts.measures[measure])}>
            <UsageChart rows={data.data} from={from} measure={measure} by={by} />
          </Section>
          <Section title={usageTexts.byTitle[by]} flush>
            <UsageTable rows={data.data} by={by} />
          </Section>
          <Budgets />
        </Stack>
      )}
    </Page>
  );
}

function Totals({ rows }: { rows: Usage[] }): ReactNode {
  const sum = (of: (usage: Usage) => number): number => rows.reduce((all, row) => all + of(row), 0);
  const { totals } = usageTexts;
  const input = sum(({ input_tokens }) => input_tokens);
  const output = sum(({ output_tokens }) => output_tokens);
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
      <StatTile
        label={totals.tokens}
        value={written('tokens', input + output)}
        hint={totals.inOut(written('tokens', input), written('tokens', output))}
      />
      <StatTile label={totals.cost} value={written('cost', sum(({ cost_micros }) => cost_micros) / 1_000_000)} />
      <StatTile
        label={totals.models}
        value={written(
          'calls',
          sum(({ model_calls }) => model_calls),
        )}
      />
      <StatTile
        label={totals.tools}
        value={written(
          'calls',
          sum(({ tool_calls }) => tool_calls),
        )}
      />
    </SimpleGrid>
  );
}

/** Downloads what the page shows, by day. */
function ExportUsage({ from, by }: { from: string; by: 'agent' | 'contact' | 'model' }): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => download(`/api/v1/usage/export?from=${from}&by=${by}&format=csv`, `usage-${from}-by-${by}.csv`),
  });
  return (
    <>
      <Button variant="default" leftSection={<Download size={16} />} loading={isPending} onClick={() => mutate()}>
        {usageTexts.exported}
      </Button>
      {error && <ProblemAlert error={error} />}
    </>
  );
}
