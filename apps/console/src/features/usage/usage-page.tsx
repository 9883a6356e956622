import { Button, SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { ChartColumn, Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { download } from '../../api/client.js';
import { firstOfDays, useUsage } from '../../api/usage.js';
import { usageGroups, usageMeasures, usageSpans } from '../../app/search-values.js';
import { usageTexts } from '../../texts/usage.js';
import { AsOf } from '../../ui/as-of.js';
import { StatTile } from '../../ui/facts.js';
import { FilterBar } from '../../ui/filter-bar.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { Page, Section } from '../../ui/page.js';
import { Budgets } from './budgets.js';
import { measureNameOf, measureOf, type Usage, useWritten } from './measures.js';
import { UsageChart, UsageTable } from './usage-table.js';

const route = getRouteApi('/p/$projectId/usage');
const groupOf = { day_agent: 'agent', day_contact: 'contact', day_model: 'model' } as const;

export function UsagePage(): ReactNode {
  const { days = '30', measure = 'tokens', by = 'agent' } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/usage' });
  const from = firstOfDays(Number(days));
  const daily = useUsage(from, `day_${by}`);
  const total = useUsage(from, 'total');
  const failed = [daily, total].find(({ error }) => error);
  const shown = total.data && daily.data;
  const used = total.data?.rows[0];
  const shownBy = shown ? groupOf[shown.by] : by;
  const measured = measureNameOf(measure, shownBy);
  return (
    <Page title={usageTexts.title} description={usageTexts.description}>
      <Stack gap="md">
        <Budgets />
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
        {failed && <ProblemAlert error={failed.error} onRetry={() => void failed.refetch()} />}
        {!shown && !failed && <Skeleton height={420} />}
        {shown?.rows.length === 0 && <EmptyState icon={ChartColumn} {...usageTexts.empty} />}
        {shown && shown.rows.length > 0 && (
          <>
            {used && <Totals used={used} />}
            <AsOf at={shown.asOf} />
            {shown.cut && <Text c="dimmed">{usageTexts.cut}</Text>}
            <Section title={usageTexts.overTime(measured)}>
              <UsageChart rows={shown.rows} from={shown.from} measure={measure} by={shownBy} />
            </Section>
            <Section title={usageTexts.byTitle[shownBy]} flush>
              <UsageTable rows={shown.rows} by={shownBy} />
            </Section>
          </>
        )}
      </Stack>
    </Page>
  );
}

function Totals({ used }: { used: Usage }): ReactNode {
  const written = useWritten();
  const { totals } = usageTexts;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
      <StatTile
        label={totals.tokens}
        value={written('tokens', measureOf.tokens(used))}
        hint={totals.inOut(written('tokens', used.input_tokens), written('tokens', used.output_tokens))}
      />
      <StatTile label={totals.cost} value={written('cost', measureOf.cost(used))} />
      <StatTile label={totals.models} value={written('calls', used.model_calls)} />
      <StatTile label={totals.tools} value={written('calls', used.tool_calls)} />
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
