import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Plus, SearchX, Workflow } from 'lucide-react';
import type { ReactNode } from 'react';
import { useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { workflowTexts } from '../../texts/workflows.js';
import { ActionButton } from '../../ui/action-button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { useReason } from '../../ui/editable.js';
import { EmptyState } from '../../ui/empty-state.js';
import { FilterBar, FilterText } from '../../ui/filter-bar.js';
import { AgentName, Unread } from '../../ui/name-of.js';
import { Page } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { NewWorkflow } from './new-workflow.js';
import { useTriggers, useWorkflows } from './queries.js';

type WorkflowView = Schema<'WorkflowView'>;
const route = getRouteApi('/p/$projectId/workflows');

export function WorkflowsPage(): ReactNode {
  const { name, create } = route.useSearch();
  const projectId = useProjectId();
  const navigate = useNavigate({ from: '/p/$projectId/workflows' });
  const reason = useReason('workflows:write');
  const workflows = useWorkflows();
  const columns = useColumns();
  const rows = (workflows.data ?? []).filter((row) => row.name.toLowerCase().includes((name ?? '').toLowerCase()));
  const open = (): void => void navigate({ search: (before) => ({ ...before, create: true }) });
  const newButton = (
    <ActionButton leftSection={<Plus size={15} aria-hidden />} reason={reason} onClick={open}>
      {workflowTexts.create}
    </ActionButton>
  );
  return (
    <Page title={workflowTexts.title} description={workflowTexts.description} actions={newButton}>
      {(workflows.data?.length ?? 0) > 0 && (
        <FilterBar filtered={name !== undefined} onClear={() => void navigate({ search: {}, replace: true })}>
          <FilterText
            label={workflowTexts.filters.name}
            value={name}
            onChange={(next) => void navigate({ search: next ? { name: next } : {}, replace: true })}
          />
        </FilterBar>
      )}
      <DataTable
        label={workflowTexts.title}
        columns={columns}
        list={{ rows, loading: workflows.isPending, error: workflows.error, refresh: () => void workflows.refetch() }}
        rowKey={({ id }) => String(id)}
        rowLink={({ id }) => ({
          to: '/p/$projectId/workflows/$workflowId',
          params: { projectId, workflowId: String(id) },
        })}
        empty={
          name ? (
            <EmptyState icon={SearchX} {...workflowTexts.emptyFiltered} />
          ) : (
            <EmptyState icon={Workflow} {...workflowTexts.empty} action={newButton} />
          )
        }
      />
      <NewWorkflow
        opened={create === true && reason === null}
        onClose={() => void navigate({ search: ({ create: _create, ...rest }) => rest, replace: true })}
      />
    </Page>
  );
}

function useColumns(): Column<WorkflowView>[] {
  const { data: triggers, error } = useTriggers();
  const texts = workflowTexts.columns;
  const triggersOf = (id: number): ReactNode => {
    if (!triggers) return error ? null : <Unread />;
    return workflowTexts.triggerCount(triggers.filter(({ workflow_id }) => workflow_id === id).length);
  };
  return [
    { id: 'name', label: texts.name, value: ({ name }) => name, width: 'minmax(0, 2fr)', cell: ({ name }) => name },
    { id: 'agent', label: texts.agent, cell: ({ agent_id }) => <AgentName id={agent_id} /> },
    {
      id: 'triggers',
      label: texts.triggers,
      cell: ({ id }) => triggersOf(id),
      hideOnPhone: true,
    },
    {
      id: 'status',
      label: texts.status,
      value: ({ status }) => status,
      width: '120px',
      cell: ({ status }) => <StatusBadge status={status} />,
    },
    {
      id: 'updated',
      label: texts.updated,
      value: (row) => row.updated_at,
      width: '110px',
      cell: (row) => <When at={row.updated_at} relative />,
    },
  ];
}
