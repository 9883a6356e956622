import { Badge, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { uiTexts } from '../texts/ui.js';
import { type LeafDifference, leafDifferences } from './leaf-differences.js';

const kinds = { added: 'teal', removed: 'red', changed: 'yellow' } as const;

/** Dark enough on its ground to be read. */
const wordColour = (kind: keyof typeof kinds): string =>
  `light-dark(color-mix(in srgb, var(--mantine-color-${kinds[kind]}-9) 60%, black), var(--mantine-color-${kinds[kind]}-2))`;

/** What differs between two values, leaf by leaf. */
export function DiffView({ before, after, label }: { before: unknown; after: unknown; label: string }): ReactNode {
  return <DifferenceTable label={label} differences={leafDifferences(before, after)} />;
}

/** Differences that somebody else found. */
export function DifferenceTable({ label, differences }: { label: string; differences: LeafDifference[] }): ReactNode {
  if (differences.length === 0) return <Text c="dimmed">{uiTexts.noDifference}</Text>;
  return (
    <Table.ScrollContainer minWidth={480}>
      <Table aria-label={label} verticalSpacing={6} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="34%">{label}</Table.Th>
            <Table.Th>{uiTexts.before}</Table.Th>
            <Table.Th>{uiTexts.after}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {differences.map(({ path, kind, before: old, after: now }) => (
            <Table.Tr key={path}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <code>{path || '·'}</code>{' '}
                <Badge
                  size="xs"
                  variant="light"
                  color={kinds[kind]}
                  tt="none"
                  styles={{ label: { color: wordColour(kind) } }}
                >
                  {uiTexts[kind]}
                </Badge>
              </Table.Td>
              <Leaf value={old} />
              <Leaf value={now} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Leaf({ value }: { value: unknown }): ReactNode {
  return (
    <Table.Td style={{ overflowWrap: 'anywhere' }}>
      {value === undefined ? '–' : <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>}
    </Table.Td>
  );
}
