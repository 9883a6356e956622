import { Badge, Group } from '@mantine/core';
import { MessagesSquare, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { useContactNames } from '../../api/contacts.js';
import { type CursorList, useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { conversationTexts } from '../../texts/conversations.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { AgentName, AppName } from '../../ui/name-of.js';
import { NameOver } from '../../ui/name-over.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { topicOf } from './topic.js';

type Session = Schema<'ListedSessionView'>;

interface ConversationTableProps {
  list: CursorList<Session>;
  filtered: boolean;
}

export function ConversationTable({ list, filtered }: ConversationTableProps): ReactNode {
  const projectId = useProjectId();
  const contactName = useContactNames(list.rows.map(({ contact_id }) => contact_id));
  return (
    <DataTable
      label={conversationTexts.title}
      columns={columnsWith(contactName)}
      list={list}
      rowKey={({ id }) => id}
      rowLink={({ id }) => ({ to: '/p/$projectId/conversations/$sessionId', params: { projectId, sessionId: id } })}
      empty={
        filtered ? (
          <EmptyState icon={SearchX} {...conversationTexts.emptyFiltered} />
        ) : (
          <EmptyState icon={MessagesSquare} {...conversationTexts.empty} />
        )
      }
    />
  );
}

function columnsWith(contactName: (id: string | null) => string | undefined): Column<Session>[] {
  const { columns } = conversationTexts;
  return [
    {
      id: 'with',
      label: columns.with,
      width: 'minmax(0, 3fr)',
      cell: (session) => (
        // A zero-width space keeps the height of the row.
        <NameOver name={contactName(session.contact_id) ?? topicOf(session)} under={session.last_text ?? '\u200b'} />
      ),
    },
    { id: 'app', label: columns.app, cell: ({ app_id }) => <AppName id={app_id} /> },
    { id: 'agent', label: columns.agent, cell: ({ agent_id }) => <AgentName id={agent_id} />, hideOnPhone: true },
    {
      id: 'status',
      label: columns.status,
      width: '190px',
      cell: ({ status, waiting }) => (
        <Group gap={6} wrap="nowrap">
          <StatusBadge status={status} />
          {waiting > 0 && (
            <Badge color="yellow" variant="outline" tt="none" radius="sm" fw={500} autoContrast c="inherit">
              {conversationTexts.waiting(waiting)}
            </Badge>
          )}
        </Group>
      ),
    },
    {
      id: 'updated',
      label: columns.updated,
      width: '110px',
      cell: ({ updated_at }) => <When at={updated_at} relative />,
    },
  ];
}
