import { BookOpen } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useCursorList, useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { knowledgeTexts } from '../../texts/knowledge.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { When } from '../../ui/when.js';
import { TrustBadge } from './trust-badge.js';

const pageSize = 50;

export function DocumentList({ action }: { action: ReactNode }): ReactNode {
  const projectId = useProjectId();
  const list = useCursorList(['knowledge', 'documents'], (cursor, signal) =>
    answer(api.GET('/api/v1/knowledge', { params: { query: { limit: pageSize, cursor } }, signal })),
  );
  return (
    <DataTable
      label={knowledgeTexts.tabs.documents}
      columns={columns}
      list={list}
      rowKey={({ id }) => id}
      rowLink={({ id }) => ({ to: '/p/$projectId/knowledge/$documentId', params: { projectId, documentId: id } })}
      empty={<EmptyState icon={BookOpen} {...knowledgeTexts.empty} action={action} />}
    />
  );
}

const { columns: names, sources, audiences } = knowledgeTexts;
const columns: Column<Schema<'DocumentView'>>[] = [
  {
    id: 'title',
    label: names.title,
    value: ({ title }) => title,
    width: 'minmax(0, 2.4fr)',
    cell: ({ title }) => title,
  },
  {
    id: 'source',
    label: names.source,
    value: ({ source }) => sources[source],
    width: '110px',
    cell: ({ source }) => sources[source],
  },
  { id: 'trust', label: names.trust, width: '140px', cell: ({ trust }) => <TrustBadge trust={trust} /> },
  {
    id: 'audience',
    label: names.audience,
    width: '120px',
    cell: ({ audience }) => audiences[audience],
    hideOnPhone: true,
  },
  {
    id: 'chars',
    label: names.chars,
    width: '130px',
    cell: ({ chars }) => knowledgeTexts.chars(chars),
    hideOnPhone: true,
  },
  {
    id: 'created',
    label: names.created,
    value: (row) => row.created_at,
    width: '110px',
    cell: (row) => <When at={row.created_at} relative />,
  },
];
