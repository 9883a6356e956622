import { Contact, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { type CursorList, useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/client.js';
import { contactTexts } from '../../texts/contacts.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/notices.js';
import { When } from '../../ui/when.js';
import { StatusBadge } from '../../ui/status-badge.js';

type ContactView = Schema<'ContactView'>;

export function ContactTable({ list, filtered }: { list: CursorList<ContactView>; filtered: boolean }): ReactNode {
  const projectId = useProjectId();
  return (
    <DataTable
      label={contactTexts.title}
      columns={columns}
      list={list}
      rowKey={({ id }) => id}
      rowLink={({ id }) => ({ to: '/p/$projectId/contacts/$contactId', params: { projectId, contactId: id } })}
      empty={
        filtered ? (
          <EmptyState icon={SearchX} {...contactTexts.emptyFiltered} />
        ) : (
          <EmptyState icon={Contact} {...contactTexts.empty} />
        )
      }
    />
  );
}

const texts = contactTexts.columns;

const columns: Column<ContactView>[] = [
  { id: 'name', label: texts.name, value: ({ name }) => name, width: 'minmax(0, 3fr)', cell: ({ name }) => name },
  { id: 'status', label: texts.status, width: '170px', cell: (contact) => <ContactStatus contact={contact} /> },
  {
    id: 'budget',
    label: texts.budget,
    width: '160px',
    cell: ({ daily_budget }) => contactTexts.perDay(daily_budget),
    hideOnPhone: true,
  },
  {
    id: 'since',
    label: texts.since,
    value: ({ created_at }) => created_at,
    ordered: true,
    width: '120px',
    cell: ({ created_at }) => <When at={created_at} relative />,
  },
];

/** How the system treats a contact. A merged one is treated as the contact it was merged into. */
export function ContactStatus({ contact }: { contact: Schema<'ContactView'> }): ReactNode {
  if (contact.merged_into) return <StatusBadge status={contactTexts.mergedBadge} />;
  return contact.status === 'unknown' ? (
    <StatusBadge status={contactTexts.statuses.unknown} tone="warn" />
  ) : (
    <StatusBadge status={contact.status} />
  );
}
