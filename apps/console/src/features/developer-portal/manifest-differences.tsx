import { Alert, Badge, Button, Group, Table, Text } from '@mantine/core';
import { CircleCheck, GitCompare } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.js';
import { developerPortalTexts } from '../../texts/developer-portal.js';
import { uiTexts } from '../../texts/ui.js';
import { jsonText, visibleText } from '../../ui/code-block.js';
import { leafDifferences } from '../../ui/diff-view.js';
import { useLongList } from '../../ui/long-list.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { type Adapter, useVersions } from './use-adapter.js';

const texts = developerPortalTexts.versions;
const kinds = { added: 'teal', removed: 'red', changed: 'yellow' } as const;

/** What a manifest changes, leaf by leaf, and which changes need approval. */
export function ManifestDifferences({ differences }: { differences: Schema<'ManifestDifferenceView'>[] }): ReactNode {
  const leaves = differences.flatMap(({ path, before, after, needs_approval }) =>
    leafDifferences(before, after).map((leaf) => ({ ...leaf, path: pathOf(path, leaf.path), needs_approval })),
  );
  const { shown, more } = useLongList(leaves);
  if (leaves.length === 0) return <Text c="dimmed">{texts.none}</Text>;
  return (
    <Table.ScrollContainer minWidth={620}>
      <Table aria-label={developerPortalTexts.one.review} verticalSpacing={6} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w="34%">{texts.leaf}</Table.Th>
            <Table.Th>{uiTexts.before}</Table.Th>
            <Table.Th>{uiTexts.after}</Table.Th>
            <Table.Th w={150}>{texts.needs}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {shown.map(({ path, kind, before, after, needs_approval }) => (
            <Table.Tr key={path}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <code>{path}</code>{' '}
                <Badge size="xs" variant="dot" color={kinds[kind]} tt="none" radius="sm">
                  {uiTexts[kind]}
                </Badge>
              </Table.Td>
              <Leaf value={before} />
              <Leaf value={after} />
              <Table.Td>
                {needs_approval ? (
                  <StatusBadge status="awaits_approval" />
                ) : (
                  <Text size="sm" c="dimmed">
                    {texts.wordsOnly}
                  </Text>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {more}
    </Table.ScrollContainer>
  );
}

/** `/credentials/0` and `maps_to` become `credentials.0.maps_to`. */
const pathOf = (pointer: string, below: string): string =>
  [...pointer.split('/').slice(1), ...(below ? [below] : [])].join('.') || '·';

function Leaf({ value }: { value: unknown }): ReactNode {
  return (
    <Table.Td style={{ overflowWrap: 'anywhere' }}>
      {value === undefined ? '–' : <code>{visibleText(typeof value === 'string' ? value : jsonText(value, 0))}</code>}
    </Table.Td>
  );
}

const refreshTexts = developerPortalTexts.one;

interface RefreshedProps {
  adapter: Adapter;
  /** The result of the last refresh. */
  found: Schema<'RefreshedAdapterView'> | undefined;
  /** When the refresh was requested, in milliseconds. */
  before: number;
  onReview: (number: number) => void;
}

/** Whether a manifest waits for approval, and what a refresh found. */
export function Refreshed({ adapter, found, before, onReview }: RefreshedProps): ReactNode {
  const { data: versions } = useVersions(adapter.id);
  const newest = versions?.[0];
  const waiting = newest && newest.activated_at === null && newest.number > adapter.manifest_version ? newest : null;
  if (waiting)
    return (
      <Alert variant="light" color="yellow" icon={<GitCompare size={18} aria-hidden />} role="status">
        <Group justify="space-between" gap="sm">
          <Text fw={500}>{refreshTexts.pending(waiting.number)}</Text>
          <Button size="compact-sm" variant="default" onClick={() => onReview(waiting.number)}>
            {refreshTexts.review}
          </Button>
        </Group>
      </Alert>
    );
  if (!found) return null;
  const isNew = new Date(found.version.created_at).getTime() >= before - clockToleranceMs;
  return (
    <Alert variant="light" color="teal" icon={<CircleCheck size={18} aria-hidden />} role="status">
      {isNew && found.version.number > 1 ? refreshTexts.taken(found.version.number) : refreshTexts.unchanged}
    </Alert>
  );
}

/** The browser's clock may differ from the server's. */
const clockToleranceMs = 5_000;
