import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useProjectId } from '../../api/project-query.js';
import type { UsageBy, UsageMeasure } from '../../app/search-values.js';
import { usageTexts } from '../../texts/usage.js';
import { LineChart } from '../../ui/line-chart.js';
import { TextLink } from '../../ui/links.js';
import { idOf, measureNameOf, measureOf, type Usage, useNames, useWritten } from './measures.js';

const texts = usageTexts.columns;

/** Who used how much, the most expensive first. */
export function UsageTable({ rows, by }: { rows: Usage[]; by: UsageBy }): ReactNode {
  const written = useWritten();
  const projectId = useProjectId();
  const nameOf = useNames(by, rows);
  const lines = [...Map.groupBy(rows, (row) => idOf(by, row))]
    .map(([id, of]) => {
      const sum = (value: (usage: Usage) => number): number => of.reduce((all, row) => all + value(row), 0);
      const audio = sum((usage) => usage.audio_seconds);
      return { id, audio, tokens: sum(measureOf.tokens), cost: sum(measureOf.cost), calls: sum(measureOf.calls) };
    })
    .sort((one, other) => other.cost - one.cost || other.tokens - one.tokens);
  const hasAudio = lines.some(({ audio }) => audio > 0);
  return (
    <Table.ScrollContainer
      minWidth={320}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': usageTexts.byTitle[by] } }}
    >
      <Table verticalSpacing={9} horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{usageTexts.groups[by]}</Table.Th>
            <Table.Th ta="right">{texts.tokens}</Table.Th>
            {hasAudio && <Table.Th ta="right">{texts.audio}</Table.Th>}
            <Table.Th ta="right">{measureNameOf('calls', by)}</Table.Th>
            <Table.Th ta="right">{texts.cost}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map(({ id, tokens, cost, calls, audio }) => (
            <Table.Tr key={id}>
              <Table.Th scope="row" fw={400}>
                {by === 'contact' && id !== '' ? (
                  <TextLink to={{ to: '/p/$projectId/contacts/$contactId', params: { projectId, contactId: id } }}>
                    {nameOf(id)}
                  </TextLink>
                ) : (
                  nameOf(id)
                )}
              </Table.Th>
              <Table.Td ta="right">{written('tokens', tokens)}</Table.Td>
              {hasAudio && <Table.Td ta="right">{audio > 0 ? usageTexts.audio(audio) : ''}</Table.Td>}
              <Table.Td ta="right">{written('calls', calls)}</Table.Td>
              <Table.Td ta="right">{written('cost', cost)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {by === 'model' && lines.some(({ tokens, audio, cost }) => tokens + audio > 0 && cost === 0) && (
        <Text size="sm" c="dimmed" p="md">
          {usageTexts.unpriced}
        </Text>
      )}
    </Table.ScrollContainer>
  );
}

interface UsageChartProps {
  rows: Usage[];
  /** First day, `2026-01-31`. */
  from: string;
  measure: UsageMeasure;
  by: UsageBy;
}

const colours = ['accent.6', 'teal.6', 'orange.6', 'grape.6', 'cyan.6'];
const dayMs = 86_400_000;
const rest = 'rest';

/** One measure by day: the largest users each, the others together. */
export function UsageChart({ rows, from, measure, by }: UsageChartProps): ReactNode {
  const written = useWritten();
  const nameOf = useNames(by, rows);
  const value = measureOf[measure];
  const totals = new Map<string, number>();
  for (const row of rows) totals.set(idOf(by, row), (totals.get(idOf(by, row)) ?? 0) + value(row));
  const ranked = [...totals].sort(([, one], [, other]) => other - one).map(([id]) => id);
  const apart = ranked.slice(0, colours.length - 1);
  const hasRest = ranked.length > apart.length;
  // By number: an id may be any word, also one that objects use themselves.
  const nameIn = (id: string): string => (apart.includes(id) ? `series_${apart.indexOf(id)}` : rest);
  const series = [
    ...apart.map((id, index) => ({ name: nameIn(id), label: nameOf(id), color: colours[index] ?? 'gray.6' })),
    ...(hasRest ? [{ name: rest, label: usageTexts.rest, color: 'gray.6' }] : []),
  ];
  const data = daysFrom(from).map((day) => {
    const point: { at: string; [series: string]: number | string } = { at: `${day}T00:00:00` };
    for (const { name } of series) point[name] = 0;
    for (const row of rows.filter((one) => one.day === day)) {
      const name = nameIn(idOf(by, row));
      point[name] = Number(point[name] ?? 0) + value(row);
    }
    return point;
  });
  const all = rows.reduce((sum, row) => sum + value(row), 0);
  const summary = usageTexts.summary(measureNameOf(measure, by), written(measure, all), from);
  return <LineChart summary={summary} data={data} series={series} stacked days height={240} />;
}

function daysFrom(from: string): string[] {
  const first = Date.parse(from);
  const count = Math.floor((Date.now() - first) / dayMs) + 1;
  return Array.from({ length: count }, (_, index) => new Date(first + index * dayMs).toISOString().slice(0, 10));
}
