import { Group, Text } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { usePrincipalName } from '../../api/principals.js';
import { useCursorList } from '../../api/project-query.js';
import { type Role, useRoles } from '../../api/session.js';
import { useChange } from '../../api/use-change.js';
import { settingsTexts } from '../../texts/settings.js';
import { uiTexts } from '../../texts/ui.js';
import { ActionButton, ConfirmAction } from '../../ui/action-button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { useReason } from '../../ui/editable.js';
import { NameOver } from '../../ui/name-of.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { CreateKey } from './create-key.js';

const route = getRouteApi('/p/$projectId/settings/$section');
const texts = settingsTexts.keys;
const pageSize = 50;
const pollMs = 15_000;

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
    { refetchInterval: pollMs },
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

type Key = Schema<'ApiKeyView'>;

interface KeyColumns {
  roles: Role[];
  nameOf: (subject: string) => string;
  /** Why this person cannot revoke keys; null: they can. */
  reason: string | null;
  revoke: (key: Key) => void;
}

function keyColumns({ roles, nameOf, reason, revoke }: KeyColumns): Column<Key>[] {
  const { columns } = texts;
  return [
    {
      id: 'name',
      label: columns.name,
      width: 'minmax(0, 2fr)',
      cell: ({ name, last4, made_by_user_id }) => (
        <NameOver
          name={name}
          under={
            <>
              <code>…{last4}</code> {made_by_user_id && texts.madeBy(nameOf(`user:${made_by_user_id}`))}
            </>
          }
        />
      ),
    },
    {
      id: 'scopes',
      label: columns.scopes,
      width: 'minmax(0, 2fr)',
      cell: ({ scopes }) => (
        <Text span inherit title={scopes.join(', ')}>
          {mayDo(scopes, roles)}
        </Text>
      ),
    },
    { id: 'state', label: columns.state, width: '100px', cell: (key) => <StatusBadge status={stateOf(key)} /> },
    {
      id: 'expires',
      label: columns.expires,
      width: '120px',
      cell: ({ expires_at }) => <When at={expires_at} relative />,
      hideOnPhone: true,
    },
    {
      id: 'used',
      label: columns.used,
      width: '120px',
      cell: ({ last_used_at }) => <When at={last_used_at} relative />,
    },
    {
      id: 'revoke',
      label: uiTexts.actions,
      width: '96px',
      cell: (key) =>
        stateOf(key) === 'active' && (
          <ConfirmAction
            size="compact-sm"
            reason={reason}
            question={texts.revokeQuestion(key.name)}
            onConfirm={() => revoke(key)}
          >
            {texts.revoke}
          </ConfirmAction>
        ),
    },
  ];
}

function stateOf({ revoked_at, expires_at }: Key): string {
  if (revoked_at) return 'revoked';
  return expires_at && new Date(expires_at) <= new Date() ? 'expired' : 'active';
}

/** In short: the role with the same scopes, else the scopes themselves. */
function mayDo(scopes: string[], roles: Role[]): string {
  if (scopes.includes('admin')) return texts.everything;
  const same = roles.find((role) => role.scopes.length === scopes.length && scopes.every((one) => has(role, one)));
  return same ? texts.likeRole(settingsTexts.roleNames[same.name]) : scopes.join(', ');
}

const has = (role: Role, scope: string): boolean => role.scopes.some((one) => one === scope);
