import { Inbox } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useCursorList, useProjectId } from '../../api/project-query.js';
import { contactTexts } from '../../texts/contacts.js';
import { DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { AppName } from '../../ui/name-of.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';

const texts = contactTexts.messages;
const pageSize = 30;

/** Everything that a contact sent, and its outcome. */
export function ContactMessages({ contactId }: { contactId: string }): ReactNode {
  const projectId = useProjectId();
  const list = useCursorList(['contacts', contactId, 'messages'], (cursor, signal) =>
    answer(
      api.GET('/api/v1/contacts/{id}/messages', {
        params: { path: { id: contactId }, query: { limit: pageSize, cursor } },
        signal,
      }),
    ),
  );
  return (
    <DataTable
      label={texts.title}
      list={list}
      rowKey={({ id }) => id}
      rowLink={({ receipt_id }) => ({
        to: '/p/$projectId/events/$eventId',
        params: { projectId, eventId: receipt_id },
      })}
      columns={[
        { id: 'text', label: texts.text, width: 'minmax(0, 3fr)', cell: ({ message }) => message.message },
        { id: 'app', label: texts.app, cell: ({ app_id }) => <AppName id={app_id} />, hideOnPhone: true },
        {
          id: 'outcome',
          label: texts.outcome,
          width: '160px',
          cell: ({ outcome }) => <StatusBadge status={outcome} />,
        },
        { id: 'at', label: texts.at, width: '110px', cell: ({ created_at }) => <When at={created_at} relative /> },
      ]}
      empty={<EmptyState icon={Inbox} {...texts.empty} />}
    />
  );
}
