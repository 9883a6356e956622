import { Group, List, SegmentedControl, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { developerPortalTexts } from '../../texts/developer-portal.js';
import { LineChart } from '../../ui/line-chart.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { When } from '../../ui/when.js';
import { type HealthHours, healthHours } from '../../app/search-values.js';

const texts = developerPortalTexts.health;
const pollMs = 30_000;

interface AdapterHealthProps {
  id: string;
  hours: HealthHours;
  onHours: (hours: HealthHours) => void;
}

/** The adapter over time: whether it was ready, and how fast it answered. */
export function AdapterHealth({ id, hours, onHours }: AdapterHealthProps): ReactNode {
  const { data, error, refetch } = useProjectQuery(
    ['adapters', id, 'health', hours],
    (signal) =>
      answer(
        api.GET('/api/v1/adapters/{id}/health', {
          params: { path: { id }, query: { hours: Number(hours) } },
          signal,
        }),
      ),
    { refetchInterval: pollMs },
  );
  const missed = data?.series.some(({ ready, polls }) => ready < polls) ?? false;
  const reasons = data?.series.filter(({ reason }) => reason !== null) ?? [];
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <SegmentedControl
          aria-label={texts.range}
          data={healthHours.map((value) => ({ value, label: texts.ranges[value] }))}
          value={hours}
          onChange={onHours}
        />
        {data && (
          <Text>
            {texts.availability} <b>{texts.percent(data.availability)}</b>
          </Text>
        )}
      </Group>
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={260} />}
      {data?.series.length === 0 && <Text c="dimmed">{texts.empty}</Text>}
      {data && data.series.length > 0 && (
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Section title={texts.latencyTitle}>
            <LineChart
              summary={texts.latencyChart}
              unit=" ms"
              series={[
                { name: 'average', label: texts.average, color: 'accent.6' },
                { name: 'longest', label: texts.longest, color: 'gray.6' },
              ]}
              data={data.series.map(({ at, latency_avg_ms, latency_max_ms }) => ({
                at,
                average: rounded(latency_avg_ms),
                longest: rounded(latency_max_ms),
              }))}
            />
          </Section>
          <Section title={texts.readyTitle}>
            <LineChart
              summary={texts.readyChart}
              stacked
              series={[
                { name: 'ready', label: texts.ready, color: 'teal.7' },
                ...(missed ? [{ name: 'unready', label: texts.unready, color: 'red.7' }] : []),
              ]}
              data={data.series.map(({ at, ready, polls }) => ({ at, ready, unready: polls - ready }))}
            />
          </Section>
        </SimpleGrid>
      )}
      {reasons.length > 0 && (
        <Section title={texts.reasons}>
          <List size="sm">
            {reasons.map(({ at, reason }) => (
              <List.Item key={at}>
                <When at={at} /> {reason}
              </List.Item>
            ))}
          </List>
        </Section>
      )}
    </Stack>
  );
}

const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms * 10) / 10);
