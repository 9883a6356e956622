import { SearchX, Waypoints } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useCursorList, useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { knowledgeTexts } from '../../texts/knowledge.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { FilterBar, FilterText } from '../../ui/filter-bar.js';

const texts = knowledgeTexts.entities;
const pageSize = 50;

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
        columns={columns}
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

const columns: Column<Schema<'EntityView'>>[] = [
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
