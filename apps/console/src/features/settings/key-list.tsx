import { Group } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { type ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { usePrincipalName } from '../../api/principals.js';
import { useCursorList } from '../../api/project-query.js';
import { useRoles } from '../../api/roles.js';
import type { Schema } from '../../api/named-schema.js';
import { useChange } from '../../api/use-change.js';
import { settingsTexts } from '../../texts/settings.js';
import { ActionButton } from '../../ui/action-button.js';
import { DataTable } from '../../ui/data-table.js';
import { useReason } from '../../ui/editable.js';
import { EmptyState } from '../../ui/empty-state.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { CreateKey } from './create-key.js';
import { keyColumns } from './key-columns.js';

const route = getRouteApi('/p/$projectId/settings/$section');
const texts = settingsTexts.keys;
const pageSize = 50;
const againMs = 15_000;

export function KeyList(): ReactNode {
  const { add = false } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/settings/$section' });
  const reason = useReason('keys:write');
  const nameOf = usePrincipalName();
  const { data: roles = [] } = useRoles();
  const openForm = (open: boolean): void => void navigate({ search: open ? { add: true } : {} });
  const list = useCursorList(
    ['api-keys'],
    (cursor, signal) => answer(api.GET('/api/v1/api-keys', { params: { query: { limit: pageSize, cursor } }, signal })),
    { refetchInterval: againMs },
  );
  const revoke = useChange(
    ({ id }: Schema<'ApiKeyView'>) => answer(api.DELETE('/api/v1/api-keys/{id}', { params: { path: { id } } })),
    'api-keys',
  );
  const create = (
    <ActionButton leftSection={<KeyRound size={14} aria-hidden />} reason={reason} onClick={() => openForm(true)}>
      {texts.create}
    </ActionButton>
  );
  return (
    <>
      <Group justify="flex-end" mb="sm">
        {create}
      </Group>
      <ProblemAlert error={revoke.error} />
      <DataTable
        label={settingsTexts.sections.keys.label}
        columns={keyColumns({ roles, nameOf, reason, revoke: (key) => revoke.mutate(key) })}
        list={list}
        rowKey={({ id }) => id}
        empty={<EmptyState icon={KeyRound} {...texts.empty} action={create} />}
      />
      <CreateKey opened={add && reason === null} onClose={() => openForm(false)} />
    </>
  );
}
