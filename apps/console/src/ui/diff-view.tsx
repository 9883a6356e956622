import { Badge, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { uiTexts } from '../texts/ui.js';
import classes from './diff-view.module.css';
import { useLongList } from './long-list.js';
import { jsonText, visibleText } from './code-block.js';

const kinds = { added: 'teal', removed: 'red', changed: 'yellow' } as const;

/** Dark enough to be readable on its background. */
const wordColour = (kind: keyof typeof kinds): string =>
  `light-dark(color-mix(in srgb, var(--mantine-color-${kinds[kind]}-9) 60%, black), var(--mantine-color-${kinds[kind]}-2))`;

/** The differences of two values, leaf by leaf. */
export function DiffView({ before, after, label }: { before: unknown; after: unknown; label: string }): ReactNode {
  return <DifferenceTable label={label} differences={leafDifferences(before, after)} />;
}

/** Differences that were computed elsewhere. */
export function DifferenceTable({ label, differences }: { label: string; differences: LeafDifference[] }): ReactNode {
  const { shown, more } = useLongList(differences);
  if (differences.length === 0) return <Text c="dimmed">{uiTexts.noDifference}</Text>;
  // Explicit roles: on a phone each row is a block, which would remove them.
  return (
    <>
      <Table aria-label={label} role="table" verticalSpacing={6} layout="fixed" className={classes.table}>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            <Table.Th role="columnheader" w="34%">
              {label}
            </Table.Th>
            <Table.Th role="columnheader">{uiTexts.before}</Table.Th>
            <Table.Th role="columnheader">{uiTexts.after}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {shown.map(({ path, kind, before: old, after: now }) => (
            <Table.Tr key={path} role="row">
              <Table.Td role="cell" className={classes.cell}>
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
              <Leaf value={old} of={uiTexts.before} />
              <Leaf value={now} of={uiTexts.after} />
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {more}
    </>
  );
}

function Leaf({ value, of }: { value: unknown; of: string }): ReactNode {
  return (
    <Table.Td role="cell" className={classes.cell} data-of={of} data-absent={value === undefined || undefined}>
      {value === undefined ? '–' : <code>{visibleText(typeof value === 'string' ? value : jsonText(value, 0))}</code>}
    </Table.Td>
  );
}

export interface LeafDifference {
  /** `webhook.ack.status`, `events.0.type` */
  path: string;
  kind: 'added' | 'removed' | 'changed';
  before: unknown;
  after: unknown;
}

/** A deeper level is compared as a whole. */
const deepest = 40;

/** The leaves in which two JSON values differ, in the order of the first. */
export function leafDifferences(before: unknown, after: unknown): LeafDifference[] {
  const [old, now] = [new Map<string, unknown>(), new Map<string, unknown>()];
  addLeaves(old, before);
  addLeaves(now, after);
  const paths = [...new Set([...old.keys(), ...now.keys()])];
  return paths
    .filter((path) => old.has(path) !== now.has(path) || differ(old.get(path), now.get(path)))
    .map((path) => ({ path, kind: kindOf(old.has(path), now.has(path)), before: old.get(path), after: now.get(path) }));
}

const differ = (before: unknown, after: unknown): boolean => before !== after && jsonText(before) !== jsonText(after);

function kindOf(was: boolean, is: boolean): LeafDifference['kind'] {
  if (!was) return 'added';
  return is ? 'changed' : 'removed';
}

function addLeaves(leaves: Map<string, unknown>, value: unknown, path = '', depth = 0): void {
  const isLeaf = typeof value !== 'object' || value === null || depth === deepest;
  if (isLeaf || Object.keys(value).length === 0) leaves.set(path, value);
  else
    for (const [key, child] of Object.entries(value))
      addLeaves(leaves, child, path ? `${path}.${key}` : key, depth + 1);
}
