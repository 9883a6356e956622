import { BookOpen, SearchX, Waypoints } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useCursorList, useProjectId } from '../../api/project-query.js';
import { knowledgeTexts } from '../../texts/knowledge.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { FilterBar, FilterText } from '../../ui/filter-bar.js';
import { EmptyState } from '../../ui/notices.js';
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
      columns={documentColumns}
      list={list}
      rowKey={({ id }) => id}
      rowLink={({ id }) => ({ to: '/p/$projectId/knowledge/$documentId', params: { projectId, documentId: id } })}
      empty={<EmptyState icon={BookOpen} {...knowledgeTexts.empty} action={action} />}
    />
  );
}

const { columns: names, sources, audiences } = knowledgeTexts;
const documentColumns: Column<Schema<'DocumentView'>>[] = [
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

const texts = knowledgeTexts.entities;

interface EntityListProps {
  name: string | undefined;
  onName: (name: string | undefined) => void;
}

/** The things and people in documents. */
export function EntityList({ name, onName }: EntityListProps): ReactNode {
  const projectId = useProjectId();
  const list = useCursorList(['knowledge', 'entities', name], (cursor, signal) => {
    const params = { query: { q: name, limit: pageSize, cursor } };
    return answer(api.GET('/api/v1/knowledge/entities', { params, signal }));
  });
  return (
    <>
      <FilterBar filtered={name !== undefined} onClear={() => onName(undefined)}>
        <FilterText label={texts.filter} value={name} onChange={onName} />
      </FilterBar>
      <DataTable
        label={knowledgeTexts.tabs.entities}
        columns={entityColumns}
        list={list}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({
          to: '/p/$projectId/knowledge/entities/$entityId',
          params: { projectId, entityId: id },
        })}
        empty={
          name ? (
            <EmptyState icon={SearchX} {...texts.emptyFiltered} />
          ) : (
            <EmptyState icon={Waypoints} {...texts.empty} />
          )
        }
      />
    </>
  );
}

const entityColumns: Column<Schema<'EntityView'>>[] = [
  {
    id: 'name',
    label: texts.columns.name,
    value: ({ name }) => name,
    width: 'minmax(0, 2fr)',
    cell: ({ name }) => name,
  },
  { id: 'kinds', label: texts.columns.kinds, cell: ({ kinds }) => kinds.join(', ') },
  {
    id: 'documents',
    label: texts.columns.documents,
    width: '140px',
    cell: ({ documents }) => texts.documents(documents),
  },
];
