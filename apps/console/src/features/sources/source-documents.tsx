import { ActionIcon } from '@mantine/core';
import { Download, FileText, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useCursorList } from '../../api/project-query.js';
import { sourceTexts } from '../../texts/sources.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/notices.js';
import { FilterBar, FilterSelect, FilterText } from '../../ui/filter-bar.js';
import { When } from '../../ui/when.js';

const texts = sourceTexts.documents;
const pageSize = 50;
const waitingMs = 2_000;
type Filter = { state?: 'current' | 'removed'; prefix?: string };

interface SourceDocumentsProps {
  id: string;
  filter: Filter;
  onChange: (filter: Filter) => void;
}

export function SourceDocuments({ id, filter, onChange }: SourceDocumentsProps): ReactNode {
  const list = useCursorList(
    ['sources', id, 'documents', filter],
    (cursor, signal) =>
      answer(
        api.GET('/api/v1/sources/{id}/documents', {
          params: { path: { id }, query: { limit: pageSize, cursor, ...filter } },
          signal,
        }),
      ),
    // The engine takes documents after the sync has ended.
    { refetchInterval: (rows) => rows.some(({ knowledge }) => knowledge === 'waiting') && waitingMs },
  );
  const filtered = filter.state !== undefined || filter.prefix !== undefined;
  return (
    <>
      <FilterBar filtered={filtered} onClear={() => onChange({})}>
        <FilterText label={texts.prefix} value={filter.prefix} onChange={(prefix) => onChange({ ...filter, prefix })} />
        <FilterSelect
          label={texts.state}
          any={texts.anyState}
          value={filter.state}
          options={(['current', 'removed'] as const).map((value) => ({ value, label: texts.states[value] }))}
          onChange={(state) => onChange({ ...filter, state })}
        />
      </FilterBar>
      <DataTable
        label={sourceTexts.one.tabs.documents}
        columns={columns}
        list={list}
        rowKey={(document) => document.id}
        empty={
          filtered ? (
            <EmptyState icon={SearchX} {...texts.emptyFiltered} />
          ) : (
            <EmptyState icon={FileText} {...texts.empty} />
          )
        }
      />
    </>
  );
}

const columns: Column<Schema<'SourceDocumentView'>>[] = [
  {
    id: 'path',
    label: texts.columns.path,
    value: ({ path }) => path,
    width: 'minmax(0, 3fr)',
    cell: ({ path }) => <code>{path}</code>,
  },
  {
    id: 'state',
    label: texts.columns.state,
    width: '100px',
    cell: ({ state }) => texts.states[state],
    hideOnPhone: true,
  },
  {
    id: 'size',
    label: texts.columns.size,
    value: ({ size }) => size,
    width: '100px',
    cell: ({ size }) => texts.size(size),
    hideOnPhone: true,
  },
  {
    id: 'knowledge',
    label: texts.columns.knowledge,
    cell: ({ knowledge, knowledge_failure }) => knowledge_failure?.error ?? knowledge.replaceAll('_', ' '),
  },
  {
    id: 'updated',
    label: texts.columns.updated,
    width: '110px',
    cell: ({ updated_at }) => <When at={updated_at} relative />,
    hideOnPhone: true,
  },
  {
    id: 'download',
    label: texts.columns.file,
    width: '60px',
    cell: ({ id, source_id, path, state }) =>
      state === 'current' && (
        <ActionIcon
          component="a"
          variant="subtle"
          color="gray"
          aria-label={texts.download(path)}
          href={`/api/v1/sources/${source_id}/documents/${id}/content`}
          download={path.split('/').at(-1)}
        >
          <Download size={15} aria-hidden />
        </ActionIcon>
      ),
    hideOnPhone: true,
  },
];
