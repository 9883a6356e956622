import { Alert, List, Skeleton, Stack, Text } from '@mantine/core';
import { Waypoints } from 'lucide-react';
import type { ReactNode } from 'react';
import { mapTexts as texts } from '../../texts/map.js';
import { ProjectLink } from '../../ui/links.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { Page, Section } from '../../ui/page.js';
import type { DrawnMap } from './map-model.js';
import { MapPicture } from './map-picture.js';
import { useMap } from './use-map.js';

export function MapPage(): ReactNode {
  const { map, loading, error, whole, lacks } = useMap();
  const isEmpty = map.columns.every(({ column, nodes }) => column !== 'source' || nodes.length === 0);
  return (
    <Page title={texts.title} description={texts.description}>
      <Stack gap="md">
        {lacks.length > 0 && <Alert color="yellow">{texts.hidden(lacks)}</Alert>}
        {error && <ProblemAlert error={error} />}
        {loading ? (
          <Skeleton height={420} />
        ) : isEmpty && error ? null : isEmpty ? (
          <EmptyState
            icon={Waypoints}
            {...texts.empty}
            action={<ProjectLink path="/integrations">{texts.connect}</ProjectLink>}
          />
        ) : (
          <>
            <MapPicture map={map} />
            {(map.leftOutNodes > 0 || map.leftOutEdges > 0) && (
              <Text size="sm" c="dimmed">
                {texts.leftOut(map.leftOutNodes, map.leftOutEdges)}
              </Text>
            )}
            {!whole && (
              <Text size="sm" c="dimmed">
                {texts.notWhole}
              </Text>
            )}
            <Failures map={map} />
          </>
        )}
      </Stack>
    </Page>
  );
}

/** The red parts of the picture, in words. */
function Failures({ map }: { map: DrawnMap }): ReactNode {
  const nodes = map.columns.flatMap((column) => column.nodes);
  const nameOf = (id: string): string => nodes.find((node) => node.id === id)?.name ?? id;
  const lines = [
    ...map.edges
      .filter(({ failed }) => failed > 0)
      .map(({ from, to, failed, count }) => texts.failure(nameOf(from), nameOf(to), failed, count)),
    ...nodes
      .filter(({ column, failed }) => failed > 0 && (column === 'source' || column === 'reply'))
      .map(({ column, name, failed }) => texts.nodeFailure(`${texts.columns[column]}: ${name}`, failed)),
  ];
  return (
    <Section
      title={texts.failures.title}
      actions={
        <ProjectLink path="/operations/problems" size="sm">
          {texts.failures.problems}
        </ProjectLink>
      }
    >
      {lines.length === 0 ? (
        <Text c="dimmed">{texts.failures.none}</Text>
      ) : (
        <List spacing={6}>
          {lines.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
      )}
    </Section>
  );
}
