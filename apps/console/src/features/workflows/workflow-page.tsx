import { Alert, Group, Skeleton, Stack } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { historyTexts } from '../../texts/history.js';
import { uiTexts } from '../../texts/ui.js';
import { workflowTexts } from '../../texts/workflows.js';
import { ChangedBy } from '../../ui/changed-by.js';
import { VersionHistory } from '../../ui/version-history.js';
import { Editable } from '../../ui/editable.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { AgentName } from '../../ui/name-of.js';
import { errorBeside, ProblemAlert } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import { SaveBar } from '../../ui/save-bar.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { UrlTabs } from '../../ui/url-tabs.js';
import { useEditor } from '../../ui/use-editor.js';
import { touched, useWorkflow } from './queries.js';
import { workflowHistory } from './histories.js';
import { EventWaitList } from './event-wait-list.js';
import { RunList } from './run-list.js';
import { TriggerList } from './trigger-list.js';
import { WorkflowActions } from './workflow-actions.js';
import { toSave, WorkflowFields, workflowFields, type WorkflowValues } from './workflow-fields.js';
import { WorkflowSteps } from './workflow-steps.js';

const route = getRouteApi('/p/$projectId/workflows/$workflowId');

export function WorkflowPage(): ReactNode {
  const { projectId, workflowId } = route.useParams();
  const { tab = 'triggers', state } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/workflows/$workflowId' });
  const { data: found, error, refetch } = useWorkflow(Number(workflowId));
  const workflow = found?.data;
  const { tabs, status: notes } = workflowTexts;
  return (
    <Page
      title={workflow?.name ?? workflowTexts.title}
      mark={workflow && <StatusBadge status={workflow.status} />}
      description={
        workflow && (
          <Group gap="xs">
            <AgentName id={workflow.agent_id} />
            <ChangedBy of={workflowHistory(workflow.id)} />
          </Group>
        )
      }
      breadcrumbs={[{ label: workflowTexts.title, to: { to: '/p/$projectId/workflows', params: { projectId } } }]}
      actions={workflow && <WorkflowActions workflow={workflow} />}
    >
      {error && !workflow && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!workflow && !error && <Skeleton height={320} />}
      {workflow && workflow.status !== 'active' && (
        <Alert variant="light" color={workflow.status === 'suspended' ? 'yellow' : 'gray'} mb="md">
          {workflow.status === 'suspended' ? notes.suspendedNote : notes.offNote}
        </Alert>
      )}
      {found && workflow && (
        <UrlTabs
          label={workflow.name}
          value={tab}
          onChange={(next) => void navigate({ search: { tab: next } })}
          tabs={[
            { value: 'triggers', label: tabs.triggers, content: <TriggerList workflowId={workflow.id} /> },
            {
              value: 'steps',
              label: tabs.steps,
              content: <WorkflowSteps workflow={workflow} etag={found.etag} />,
            },
            {
              value: 'runs',
              label: tabs.runs,
              content: (
                <Stack gap="md">
                  <EventWaitList workflowId={workflow.id} />
                  <RunList
                    workflowId={workflow.id}
                    state={state}
                    onState={(next) => void navigate({ search: { tab: 'runs', state: next }, replace: true })}
                  />
                </Stack>
              ),
            },
            {
              value: 'settings',
              label: tabs.settings,
              content: <WorkflowSettings workflow={workflow} etag={found.etag} />,
            },
            {
              value: 'versions',
              label: historyTexts.tab,
              content: <VersionHistory of={workflowHistory(workflow.id)} />,
            },
          ]}
        />
      )}
    </Page>
  );
}

interface WorkflowSettingsProps {
  workflow: Schema<'WorkflowView'>;
  etag: string | null;
}

function WorkflowSettings({ workflow, etag }: WorkflowSettingsProps): ReactNode {
  const { id, name, agent_id, instructions, output_schema } = workflow;
  const editor = useEditor<WorkflowValues>({
    saved: { name, agent_id, instructions, output_schema },
    etag,
    touched,
    announce: uiTexts.saved,
    save: async ({ change }, match) => {
      const params = { path: { id }, header: { 'If-Match': match } };
      return answer(api.PATCH('/api/v1/workflows/{id}', { params, body: toSave(change) }));
    },
  });
  return (
    <Editable scope="workflows:write">
      <WorkflowFields value={editor.value} error={editor.error} onChange={editor.set} />
      <ProblemAlert error={errorBeside(editor.error, workflowFields)} />
      <SaveBar {...editor.bar} />
      <EtagConflict label={workflowTexts.title} {...editor.conflict} />
    </Editable>
  );
}
