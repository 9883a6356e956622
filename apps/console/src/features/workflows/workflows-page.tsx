import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Plus, SearchX, Workflow } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId } from '../../api/project-query.js';
import { useRefresh } from '../../api/use-change.js';
import { workflowTexts } from '../../texts/workflows.js';
import { ActionButton } from '../../ui/action-button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { FormModal } from '../../ui/dialog.js';
import { useReason } from '../../ui/editable.js';
import { FilterBar, FilterText } from '../../ui/filter-bar.js';
import { AgentName, Unread } from '../../ui/name-of.js';
import { EmptyState } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { touched, useTriggers, useWorkflows } from './queries.js';
import { toSave, WorkflowFields, workflowFields, type WorkflowValues } from './workflow-fields.js';

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

const nothing: WorkflowValues = { name: '', agent_id: null, instructions: '', output_schema: null };

function NewWorkflow({ opened, onClose }: { opened: boolean; onClose: () => void }): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const refresh = useRefresh(...touched);
  const [value, setValue] = useState(nothing);
  const create = useMutation({
    mutationFn: async () => answer(api.POST('/api/v1/workflows', { body: { ...toSave(value), name: value.name } })),
    onSuccess: async ({ id }) => {
      await refresh();
      void navigate({ to: '/p/$projectId/workflows/$workflowId', params: { projectId, workflowId: String(id) } });
    },
  });
  return (
    <FormModal
      opened={opened}
      title={workflowTexts.create}
      submit={workflowTexts.createAction}
      size="lg"
      saving={create.isPending}
      error={create.error}
      fields={workflowFields}
      ready={value.name.trim() !== ''}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <WorkflowFields value={value} error={create.error} onChange={(patch) => setValue({ ...value, ...patch })} />
    </FormModal>
  );
}
