import { Group } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Plus, SearchX, Wrench } from 'lucide-react';
import type { ReactNode } from 'react';
import { useProjectId } from '../../api/project-query.js';
import { useTools } from '../../api/choices.js';
import type { Schema } from '../../api/client.js';
import { toolTexts } from '../../texts/tools.js';
import { toolWords } from '../../texts/ui.js';
import { ActionButton } from '../../ui/action-button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { useReason } from '../../ui/editable.js';
import { EmptyState } from '../../ui/notices.js';
import { FilterBar, FilterSelect, FilterText } from '../../ui/filter-bar.js';
import { GradeBadge, ToolStateBadge } from '../../ui/status-badge.js';
import { Page } from '../../ui/page.js';
import { filterOf } from '../../ui/use-sort.js';
import { toolSources, toolStates } from '../../app/search-values.js';

const route = getRouteApi('/p/$projectId/tools');
const { filters, columns: names } = toolTexts;
const sourceOptions = toolSources.map((value) => ({ value, label: toolWords.sources[value] }));
const stateOptions = toolStates.map((value) => ({ value, label: toolWords.states[value] }));

export function ToolsPage(): ReactNode {
  const search = filterOf(route.useSearch());
  const projectId = useProjectId();
  const navigate = useNavigate({ from: '/p/$projectId/tools' });
  const reason = useReason('tools:write');
  const tools = useTools();
  const { name = '', source, state } = search;
  const change = (patch: Partial<typeof search>): void =>
    void navigate({ search: (before) => ({ ...before, ...patch }), replace: true });
  const rows = (tools.data ?? []).filter(
    (tool) =>
      `${tool.name} ${tool.title ?? ''}`.toLowerCase().includes(name.toLowerCase()) &&
      (source === undefined || tool.source === source) &&
      (state === undefined || tool.state === state),
  );
  const filtered = Object.keys(search).length > 0;
  return (
    <Page
      title={toolTexts.title}
      description={toolTexts.description}
      actions={
        <ActionButton
          leftSection={<Plus size={15} aria-hidden />}
          reason={reason}
          onClick={() => void navigate({ to: '/p/$projectId/tools/new', params: { projectId } })}
        >
          {toolTexts.create}
        </ActionButton>
      }
    >
      <FilterBar filtered={filtered} onClear={() => void navigate({ search: {}, replace: true })}>
        <FilterText label={filters.name} value={search.name} onChange={(next) => change({ name: next })} />
        <FilterSelect
          label={filters.source}
          any={filters.anySource}
          value={source}
          options={sourceOptions}
          onChange={(next) => change({ source: next })}
        />
        <FilterSelect
          label={filters.state}
          any={filters.anyState}
          value={state}
          options={stateOptions}
          onChange={(next) => change({ state: next })}
        />
      </FilterBar>
      <DataTable
        label={toolTexts.title}
        columns={columns}
        list={{ rows, loading: tools.isPending, error: tools.error, refresh: () => void tools.refetch() }}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({ to: '/p/$projectId/tools/$toolId', params: { projectId, toolId: id } })}
        empty={
          filtered ? (
            <EmptyState icon={SearchX} {...toolTexts.emptyFiltered} />
          ) : (
            <EmptyState icon={Wrench} {...toolTexts.empty} />
          )
        }
      />
    </Page>
  );
}

const columns: Column<Schema<'ToolView'>>[] = [
  {
    id: 'name',
    label: names.name,
    value: ({ name }) => name,
    width: 'minmax(0, 1.3fr)',
    cell: ({ name }) => <code>{name}</code>,
  },
  {
    id: 'description',
    label: names.description,
    width: 'minmax(0, 2.4fr)',
    cell: ({ description }) => description,
    hideOnPhone: true,
  },
  {
    id: 'source',
    label: names.source,
    value: ({ source }) => toolWords.sources[source],
    width: '80px',
    cell: ({ source }) => toolWords.sources[source],
  },
  {
    id: 'grade',
    label: names.grade,
    width: '90px',
    cell: ({ grade }) => (
      <Group component="span">
        <GradeBadge grade={grade} />
      </Group>
    ),
  },
  {
    id: 'state',
    label: names.state,
    value: ({ state }) => state,
    width: '120px',
    cell: ({ state }) => <ToolStateBadge state={state} />,
  },
];
