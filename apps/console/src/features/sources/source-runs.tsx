import { Button, List, Modal, Text } from '@mantine/core';
import { History } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api } from '../../api/client.js';
import { useCursorList } from '../../api/project-query.js';
import { sourceTexts } from '../../texts/sources.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/notices.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { busyMs, isInFlight, quietMs, type SyncRun } from './use-source.js';

const texts = sourceTexts.runs;
const pageSize = 30;

/** What each sync brought. */
export function SourceRuns({ id }: { id: string }): ReactNode {
  const [shown, setShown] = useState<SyncRun | null>(null);
  const list = useCursorList(
    ['sources', id, 'runs'],
    (cursor, signal) =>
      answer(
        api.GET('/api/v1/sources/{id}/runs', { params: { path: { id }, query: { limit: pageSize, cursor } }, signal }),
      ),
    { refetchInterval: (runs) => (runs.some(isInFlight) ? busyMs : quietMs) },
  );
  return (
    <>
      <DataTable
        label={sourceTexts.one.tabs.runs}
        columns={columnsWith(setShown)}
        list={list}
        rowKey={(run) => run.id}
        empty={<EmptyState icon={History} {...texts.empty} />}
      />
      <Modal opened={shown !== null} onClose={() => setShown(null)} title={texts.failures} size="lg">
        {shown?.error && (
          <Text mb="sm">
            {shown.error} {shown.error_detail}
          </Text>
        )}
        <List size="sm" spacing="xs">
          {shown?.failures.map(({ path, error }) => (
            <List.Item key={path}>
              <code>{path}</code> {error}
            </List.Item>
          ))}
        </List>
      </Modal>
    </>
  );
}

const columnsWith = (show: (run: SyncRun) => void): Column<SyncRun>[] => [
  { id: 'state', label: texts.columns.state, width: '120px', cell: ({ state }) => <StatusBadge status={state} /> },
  { id: 'cause', label: texts.columns.cause, cell: ({ cause }) => texts.causes[cause], hideOnPhone: true },
  {
    id: 'counts',
    label: texts.columns.counts,
    width: 'minmax(0, 2fr)',
    cell: ({ added, changed, removed }) => sourceTexts.counts(added, changed, removed),
  },
  {
    id: 'failed',
    label: texts.columns.failed,
    cell: (run) =>
      run.failed > 0 || run.error ? (
        <Button size="compact-sm" variant="default" onClick={() => show(run)}>
          {texts.showFailures(Math.max(run.failed, 1))}
        </Button>
      ) : (
        '–'
      ),
    hideOnPhone: true,
  },
  { id: 'at', label: texts.columns.at, width: '110px', cell: ({ created_at }) => <When at={created_at} relative /> },
];
