import { SimpleGrid, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useProjectQuery } from '../../api/project-query.js';
import type { Schema } from '../../api/client.js';
import { homeTexts } from '../../texts/home.js';
import { duration, grouped } from '../../ui/numbers.js';
import { LineChart } from '../../ui/line-chart.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { StatTile } from '../../ui/facts.js';
import { lastHourQuestion, queuesQuestion } from './questions.js';

const texts = homeTexts.health;
const everyMs = 15_000;

/** The last hour: whether the system is healthy, and where it waits. */
export function Health(): ReactNode {
  const { data, error } = useProjectQuery(...lastHourQuestion, { refetchInterval: everyMs });
  const queues = useProjectQuery(...queuesQuestion, { refetchInterval: everyMs });
  if (error) return <ProblemAlert error={error} />;
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
        <StatTile label={texts.received} value={data ? grouped(data.total.received) : '–'} hint={texts.lastHour} />
        <LatencyTile label={texts.ack} latency={data?.total.ack} />
        <LatencyTile label={texts.reply} latency={data?.total.reply} />
        <QueueTile queues={queues.data} />
      </SimpleGrid>
      <Section title={texts.chart}>
        <LineChart
          summary={data ? summaryOf(data) : texts.chart}
          data={data ? minutesOf(data) : []}
          series={outcomeGroups.map(({ name, color }) => ({ name, label: texts.groups[name], color }))}
          stacked
        />
      </Section>
    </Stack>
  );
}

interface LatencyTileProps {
  label: string;
  latency: Schema<'LatencyView'> | undefined;
}

function LatencyTile({ label, latency }: LatencyTileProps): ReactNode {
  const { p50_ms: p50 = null, p99_ms: p99 = null } = latency ?? {};
  return (
    <StatTile
      label={label}
      value={p50 === null ? '–' : duration(p50)}
      hint={p99 === null ? texts.unmeasured : texts.p99(duration(p99))}
    />
  );
}

function QueueTile({ queues }: { queues: Schema<'QueueListView'> | undefined }): ReactNode {
  if (!queues) return <StatTile label={texts.queues} value="–" hint={texts.nothingWaits} />;
  const waiting = queues.data.reduce((sum, queue) => sum + queue.waiting, 0);
  const oldest = queues.data.toSorted((a, b) => b.oldest_ms - a.oldest_ms)[0];
  const hint =
    queues.silent.length > 0
      ? texts.silent(queues.silent.join(', '))
      : oldest && oldest.oldest_ms > 0
        ? texts.oldest(duration(oldest.oldest_ms), oldest.queue)
        : texts.nothingWaits;
  return <StatTile label={texts.queues} value={grouped(waiting)} hint={hint} />;
}

type Counts = Schema<'CountsView'>;
type Statistics = Schema<'MessageStatisticsView'>;
type Group = keyof typeof homeTexts.health.groups;

/**
 * The groups that people distinguish at a glance. Every outcome is in one of them, except those of requests that Verify
 * sent.
 */
const outcomeGroups: readonly { name: Group; color: string; outcomes: readonly string[] }[] = [
  { name: 'routed', color: 'teal.6', outcomes: ['routed'] },
  {
    name: 'nowhere',
    color: 'gray.5',
    outcomes: ['no_match', 'ignored', 'duplicate', 'dropped_bot', 'dropped_echo', 'challenge', 'handed_on'],
  },
  {
    name: 'kept',
    color: 'yellow.6',
    outcomes: ['held_unknown_sender', 'parked', 'blocked_contact', 'loop_paused'],
  },
  { name: 'failed', color: 'red.6', outcomes: ['dead', 'refused'] },
];

const countOf = (counts: Counts, outcomes: readonly string[]): number =>
  counts.outcomes.reduce((sum, { outcome, count }) => sum + (outcomes.includes(outcome) ? count : 0), 0);

const refusedOf = ({ refused }: Counts): number => refused.reduce((sum, { count }) => sum + count, 0);

/** A point for each minute. */
function minutesOf({ series }: Statistics): { at: string; [group: string]: number | string }[] {
  return series.map((counts) => ({ at: counts.at, ...groupsOf(counts) }));
}

function groupsOf(counts: Counts): Record<string, number> {
  return Object.fromEntries(
    outcomeGroups.map(({ name, outcomes }) => [
      name,
      countOf(counts, outcomes) + (name === 'failed' ? refusedOf(counts) : 0),
    ]),
  );
}

/** The chart in words. */
function summaryOf({ total }: Statistics): string {
  const groups = groupsOf(total);
  const parts = outcomeGroups.map(({ name }) => `${homeTexts.health.groups[name]} ${groups[name]}`);
  return `${homeTexts.health.chart}, ${homeTexts.health.lastHour}: ${parts.join(', ')}.`;
}
