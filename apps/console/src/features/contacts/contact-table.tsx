import { Contact, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { type CursorList, useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { contactTexts } from '../../texts/contacts.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { When } from '../../ui/when.js';
import { ContactStatus } from './contact-status.js';

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
