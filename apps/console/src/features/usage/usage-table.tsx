import { Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { useProjectId } from '../../api/project-query.js';
import { usageTexts } from '../../texts/usage.js';
import { TextLink } from '../../ui/text-link.js';
import { measureNameOf, measureOf, type Usage, written } from './measures.js';
import type { Group } from './usage-search.js';
import { idOf, useNames } from './use-names.js';

const texts = usageTexts.columns;

/** Who used how much, the most expensive first. */
export function UsageTable({ rows, by }: { rows: Usage[]; by: Group }): ReactNode {
  const projectId = useProjectId();
  const nameOf = useNames(by, rows);
  const lines = [...Map.groupBy(rows, (row) => idOf(by, row))]
    .map(([id, of]) => {
      const sum = (value: (usage: Usage) => number): number => of.reduce((all, row) => all + value(row), 0);
      return { id, tokens: sum(measureOf.tokens), cost: sum(measureOf.cost), calls: sum(measureOf.calls) };
    })
    .sort((one, other) => other.cost - one.cost || other.tokens - one.tokens);
  return (
    <Table.ScrollContainer
      minWidth={420}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': usageTexts.byTitle[by] } }}
    >
      <Table verticalSpacing={9} horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{usageTexts.groups[by]}</Table.Th>
            <Table.Th ta="right">{texts.tokens}</Table.Th>
            <Table.Th ta="right">{measureNameOf('calls', by)}</Table.Th>
            <Table.Th ta="right">{texts.cost}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map(({ id, tokens, cost, calls }) => (
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
              <Table.Td ta="right">{written('calls', calls)}</Table.Td>
              <Table.Td ta="right">{written('cost', cost)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
