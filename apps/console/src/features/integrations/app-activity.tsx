import { Group, SimpleGrid, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSkills } from '../../api/choices.js';
import { useScope } from '../../api/session.js';
import { integrationTexts } from '../../texts/integrations.js';
import { LineChart } from '../../ui/line-chart.js';
import { ProjectLink } from '../../ui/links.js';
import { ProblemAlert } from '../../ui/notices.js';
import { grouped } from '../../ui/numbers.js';
import { Section } from '../../ui/page.js';
import { type App, labelled, refusedIn, sumOf, useDayOfApp } from './use-app.js';

const texts = integrationTexts.app;
const chartHeight = 130;
const series = [
  { name: 'received', label: texts.received, color: 'accent.6' },
  { name: 'refused', label: texts.refused, color: 'red.6' },
];

/** What the App did in the last 24 hours. */
export function AppActivity({ app }: { app: App }): ReactNode {
  const { data, error, refetch } = useDayOfApp(app.id);
  return (
    <Section title={texts.activity}>
      {error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!error && (
        <>
          <SimpleGrid cols={{ base: 2, xs: 4, md: 2, lg: 4 }} spacing="xs" mb="sm">
            <Count label={texts.received} value={data && grouped(data.total.received)} />
            <Count label={texts.refused} value={data && grouped(refusedIn(data.total))} />
            <Count label={texts.delivered} value={data && grouped(labelled(data.total.deliveries, 'delivered'))} />
            <Count label={texts.ack} value={data && texts.percentile(data.total.ack.p99_ms)} />
          </SimpleGrid>
          {data ? (
            <LineChart
              summary={texts.activityChart(app.name)}
              height={chartHeight}
              series={series}
              data={data.series.map(({ at, received, refused }) => ({ at, received, refused: sumOf(refused) }))}
            />
          ) : (
            <Skeleton height={chartHeight} />
          )}
        </>
      )}
    </Section>
  );
}

/** Has its final height while it loads, so that nothing below moves. */
function Count({ label, value }: { label: string; value: string | undefined }): ReactNode {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text component="div" fw={600} fz="lg">
        {value ?? <Skeleton width={48} height="1lh" />}
      </Text>
    </div>
  );
}

/** Skills that use the credentials of this App: one consent serves all of them. */
export function AppSkills({ app }: { app: App }): ReactNode {
  const may = useScope('tools:read');
  const mine = new Set(app.credentials.map(({ credential_id }) => credential_id));
  const { data } = useSkills({ enabled: may });
  if (!may || app.kind === 'builtin') return null;
  const skills = data?.filter(
    ({ id, credentials }) => id === app.skill_id || credentials.some(({ credential_id }) => mine.has(credential_id)),
  );
  return (
    <Section title={texts.skills}>
      {!skills && <Skeleton height={22} />}
      {skills?.length === 0 && <Text c="dimmed">{texts.noSkills}</Text>}
      <Group gap="sm">
        {skills?.map(({ id, name }) => (
          <ProjectLink key={id} path={`/skills/${id}`}>
            {name}
          </ProjectLink>
        ))}
      </Group>
    </Section>
  );
}
