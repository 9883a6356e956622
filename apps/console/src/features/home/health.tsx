import { SimpleGrid, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useProjectQuery } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { homeTexts } from '../../texts/home.js';
import { duration } from '../../ui/duration.js';
import { LineChart } from '../../ui/line-chart.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { Section } from '../../ui/section.js';
import { StatTile } from '../../ui/stat-tile.js';
import { minutesOf, outcomeGroups, summaryOf } from './minutes.js';
import { lastHourQuestion, queuesQuestion } from './questions.js';
import { grouped } from '../../ui/grouped.js';

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
