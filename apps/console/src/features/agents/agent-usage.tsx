import { SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { ChartNoAxesColumn } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { firstOfDays, usageDays as days, useCost, useUsage } from '../../api/usage.js';
import { agentTexts } from '../../texts/agents.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { LineChart } from '../../ui/line-chart.js';
import { Section } from '../../ui/page.js';
import { StatTile } from '../../ui/facts.js';
import { grouped } from '../../ui/numbers.js';

const texts = agentTexts.usage;
const dayMs = 86_400_000;

/** What its turns used, in total and by day. */
export function AgentUsage({ agentId }: { agentId: string }): ReactNode {
  const from = firstOfDays(days);
  const costOf = useCost();
  const total = useUsage(from, 'agent');
  const daily = useUsage(from, 'day_agent');
  const failed = [total, daily].find(({ data, error }) => error && !data);
  if (failed) return <ProblemAlert error={failed.error} onRetry={() => void failed.refetch()} />;
  if (!total.data || !daily.data) return <Skeleton height={280} />;
  const used = total.data.rows.find(({ agent_id }) => agent_id === agentId);
  if (!used) return <EmptyState icon={ChartNoAxesColumn} {...texts.empty} />;
  const allTokens = used.input_tokens + used.output_tokens;
  const tokens = grouped(allTokens);
  const cost = used.cost_micros;
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        <StatTile label={texts.tokens} value={tokens} hint={texts.lastDays} />
        <StatTile label={texts.modelCalls} value={grouped(used.model_calls)} />
        <StatTile label={texts.toolCalls} value={grouped(used.tool_calls)} />
        <StatTile label={texts.cost} value={costOf(cost)} hint={cost === 0 && texts.noCost} />
      </SimpleGrid>
      {allTokens > 0 && (
        <Section title={texts.byDay}>
          <LineChart
            summary={texts.summary(tokens, days)}
            data={byDay(daily.data.rows.filter(({ agent_id }) => agent_id === agentId))}
            stacked
            days
            series={[
              { name: 'input', label: texts.input, color: 'accent.6' },
              { name: 'output', label: texts.output, color: 'teal.6' },
            ]}
          />
          {daily.data.cut && (
            <Text size="sm" c="dimmed" mt="xs">
              {texts.cut}
            </Text>
          )}
        </Section>
      )}
    </Stack>
  );
}

/** A point for each day, including days without a turn. */
function byDay(used: Schema<'UsageView'>[]) {
  return Array.from({ length: days }, (_day, index) => {
    const day = new Date(Date.now() - (days - 1 - index) * dayMs).toISOString().slice(0, 10);
    const row = used.find((one) => one.day?.startsWith(day));
    return { at: day, input: row?.input_tokens ?? 0, output: row?.output_tokens ?? 0 };
  });
}
