import { Modal, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { KeyRound, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { credentialStatus } from '../../api/choices.js';
import { useCursorList } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { credentialTexts as texts } from '../../texts/credentials.js';
import { ActionButton } from '../../ui/action-button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { CreateCredential } from './create-credential.js';
import type { Credential } from './use-credential.js';

const route = getRouteApi('/p/$projectId/credentials');
const pageSize = 50;
const pollMs = 15_000;

const columns: Column<Credential>[] = [
  {
    id: 'name',
    label: texts.columns.name,
    value: ({ name }) => name,
    width: 'minmax(0, 3fr)',
    cell: ({ name }) => name,
  },
  {
    id: 'type',
    label: texts.columns.type,
    value: ({ type }) => texts.types[type],
    width: '110px',
    cell: ({ type }) => texts.types[type],
    hideOnPhone: true,
  },
  {
    id: 'account',
    label: texts.columns.account,
    width: 'minmax(0, 2fr)',
    cell: ({ account }) => account?.name ?? account?.id ?? <Text c="dimmed">–</Text>,
    hideOnPhone: true,
  },
  {
    id: 'status',
    label: texts.columns.status,
    width: '190px',
    cell: ({ status }) => <StatusBadge status={credentialStatus(status)} />,
  },
  {
    id: 'updated',
    label: texts.columns.updated,
    width: '110px',
    cell: ({ updated_at }) => <When at={updated_at} relative />,
    hideOnPhone: true,
  },
];

export function CredentialsPage(): ReactNode {
  const { projectId } = route.useParams();
  const { make, app, as } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/credentials' });
  const may = useScope('credentials:write');
  const list = useCursorList(
    ['credentials', 'list'],
    (cursor, signal) =>
      answer(api.GET('/api/v1/credentials', { params: { query: { limit: pageSize, cursor } }, signal })),
    { refetchInterval: pollMs },
  );
  const open = (adapter: string | undefined): void => void navigate({ search: { make: adapter } });
  const create = (
    <ActionButton
      leftSection={<Plus size={15} aria-hidden />}
      reason={may ? null : texts.cannotChange}
      onClick={() => open('')}
    >
      {texts.make}
    </ActionButton>
  );
  return (
    <Page title={texts.title} description={texts.description} actions={create}>
      <DataTable
        label={texts.title}
        columns={columns}
        list={list}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({
          to: '/p/$projectId/credentials/$credentialId',
          params: { projectId, credentialId: id },
        })}
        empty={<EmptyState icon={KeyRound} {...texts.empty} />}
      />
      <Modal opened={make !== undefined && may} onClose={() => open(undefined)} title={texts.form.title} size="lg">
        <CreateCredential
          forAdapter={make || undefined}
          linkTo={app && as ? { app, as } : null}
          onClose={() => open(undefined)}
        />
      </Modal>
    </Page>
  );
}
