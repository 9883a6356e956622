import { Modal, Stack, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { FolderSync, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useCursorList } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { sourceTexts as texts } from '../../texts/sources.js';
import { ActionButton } from '../../ui/action-button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/notices.js';
import { AppName } from '../../ui/name-of.js';
import { Page } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { AddSource } from './add-source.js';
import { quietMs, type Source, useLastRun } from './use-source.js';

const route = getRouteApi('/p/$projectId/sources');
const pageSize = 50;

export function SourcesPage(): ReactNode {
  const { projectId } = route.useParams();
  const { add } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/sources' });
  const may = useScope('apps:write');
  const list = useCursorList(
    ['sources', 'list'],
    (cursor, signal) => answer(api.GET('/api/v1/sources', { params: { query: { limit: pageSize, cursor } }, signal })),
    { refetchInterval: quietMs },
  );
  const open = (shown: boolean): void => void navigate({ search: { add: shown || undefined } });
  return (
    <Page
      title={texts.title}
      description={texts.description}
      actions={
        <ActionButton
          leftSection={<Plus size={15} aria-hidden />}
          reason={may ? null : texts.cannotChange}
          onClick={() => open(true)}
        >
          {texts.add}
        </ActionButton>
      }
    >
      <DataTable
        label={texts.title}
        columns={columns}
        list={list}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({ to: '/p/$projectId/sources/$sourceId', params: { projectId, sourceId: id } })}
        empty={<EmptyState icon={FolderSync} {...texts.empty} />}
      />
      <Modal opened={add === true && may} onClose={() => open(false)} title={texts.form.title} size="lg">
        <AddSource onClose={() => open(false)} />
      </Modal>
    </Page>
  );
}

const columns: Column<Source>[] = [
  {
    id: 'name',
    label: texts.columns.name,
    value: ({ name }) => name,
    width: 'minmax(0, 2fr)',
    cell: ({ name }) => name,
  },
  {
    id: 'folder',
    label: texts.columns.folder,
    width: 'minmax(0, 2fr)',
    cell: ({ resource_path }) => <code>{resource_path}</code>,
    hideOnPhone: true,
  },
  { id: 'app', label: texts.columns.app, cell: ({ app_id }) => <AppName id={app_id} />, hideOnPhone: true },
  {
    id: 'state',
    label: texts.columns.state,
    width: '110px',
    cell: ({ state, sync_failure }) => <StatusBadge status={sync_failure ? 'failed' : state} />,
  },
  {
    id: 'last',
    label: texts.columns.last,
    width: 'minmax(0, 2fr)',
    cell: ({ id }) => <LastRun id={id} />,
    hideOnPhone: true,
  },
  {
    id: 'next',
    label: texts.columns.next,
    width: '120px',
    cell: ({ next_sync_at }) => (next_sync_at ? <When at={next_sync_at} relative /> : texts.onRequest),
    hideOnPhone: true,
  },
];

function LastRun({ id }: { id: string }): ReactNode {
  const { data: run } = useLastRun(id);
  if (run === undefined) return null;
  if (run === null) return <Text c="dimmed">{texts.neverSynced}</Text>;
  const { added, changed, removed, failed } = run;
  return (
    <Stack gap={0}>
      <Text size="sm" truncate>
        {texts.counts(added, changed, removed)}
        {failed > 0 && `, ${texts.failedCount(failed)}`}
      </Text>
    </Stack>
  );
}
