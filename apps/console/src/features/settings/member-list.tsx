import { Group } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { UserPlus, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useCursorList } from '../../api/project-query.js';
import { settingsTexts } from '../../texts/settings.js';
import { ActionButton } from '../../ui/action-button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { useReason } from '../../ui/editable.js';
import { EmptyState } from '../../ui/notices.js';
import { NameOver } from '../../ui/name-of.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { InviteMember } from './invite-member.js';

const route = getRouteApi('/p/$projectId/settings/$section');
const texts = settingsTexts.members;
const pageSize = 50;
const pollMs = 15_000;

export function MemberList(): ReactNode {
  const { projectId } = route.useParams();
  const { add = false } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/settings/$section' });
  const reason = useReason('members:manage');
  const openForm = (open: boolean): void => void navigate({ search: open ? { add: true } : {} });
  const list = useCursorList(
    ['members'],
    (cursor, signal) => answer(api.GET('/api/v1/members', { params: { query: { limit: pageSize, cursor } }, signal })),
    { refetchInterval: pollMs },
  );
  const invite = (
    <ActionButton leftSection={<UserPlus size={14} aria-hidden />} reason={reason} onClick={() => openForm(true)}>
      {texts.invite}
    </ActionButton>
  );
  return (
    <>
      <Group justify="flex-end" mb="sm">
        {invite}
      </Group>
      <DataTable
        label={settingsTexts.sections.members.label}
        columns={columns}
        list={list}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({ to: '/p/$projectId/settings/members/$memberId', params: { projectId, memberId: id } })}
        empty={<EmptyState icon={Users} {...texts.empty} action={invite} />}
      />
      <InviteMember opened={add && reason === null} onClose={() => openForm(false)} />
    </>
  );
}

const columns: Column<Schema<'MemberView'>>[] = [
  {
    id: 'name',
    value: ({ name }) => name,
    label: texts.columns.name,
    width: 'minmax(0, 2fr)',
    cell: ({ name, email }) => <NameOver name={name} under={email ?? texts.noEmail} />,
  },
  {
    id: 'role',
    label: texts.columns.role,
    value: ({ role }) => settingsTexts.roleNames[role],
    cell: ({ role }) => settingsTexts.roleNames[role],
  },
  {
    id: 'state',
    label: texts.columns.state,
    value: ({ state }) => state,
    width: '130px',
    cell: ({ state }) => <StatusBadge status={state} />,
  },
  {
    id: 'seen',
    label: texts.columns.seen,
    width: '140px',
    cell: ({ last_seen_at }) => <When at={last_seen_at} relative />,
  },
];
