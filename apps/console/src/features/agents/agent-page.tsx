import { Badge, Button, Group, Skeleton } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, answerWithEtag, api, type Schema } from '../../api/client.js';
import { projectKey, useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useChange } from '../../api/use-change.js';
import { agentTexts } from '../../texts/agents.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { CopyText } from '../../ui/copy.js';
import { Page } from '../../ui/page.js';
import { errorBeside, ProblemAlert } from '../../ui/notices.js';
import { uiTexts } from '../../texts/ui.js';
import { Editable } from '../../ui/editable.js';
import { ChangedBy } from '../../ui/changed-by.js';
import { VersionHistory } from '../../ui/version-history.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { SaveBar } from '../../ui/save-bar.js';
import { UrlTabs } from '../../ui/url-tabs.js';
import { useEditor } from '../../ui/use-editor.js';
import { AgentBudget, agentFields, AgentInstructions, valuesOf } from './agent-fields.js';
import { AgentPowers } from './agent-powers.js';
import { PublishAgent } from './publish-agent.js';
import { AgentTools } from './agent-tools.js';
import { TryAgent } from './try-agent.js';
import { agentHistory } from './agent-history.js';
import { AgentUsage } from './agent-usage.js';
import { CompareAgent } from './compare-agent.js';

const route = getRouteApi('/p/$projectId/agents/$agentId');

export function AgentPage(): ReactNode {
  const { projectId, agentId } = route.useParams();
  const { data, error, refetch } = useProjectQuery(['agents', agentId], (signal) =>
    answerWithEtag(api.GET('/api/v1/agents/{id}', { params: { path: { id: agentId } }, signal })),
  );
  const agent = data?.data;
  return (
    <Page
      title={agent?.name ?? agentTexts.title}
      mark={
        agent?.is_chief_of_staff && (
          <Badge variant="default" radius="sm" tt="none" fw={500}>
            {agentTexts.chiefOfStaff}
          </Badge>
        )
      }
      description={
        agent && (
          <Group gap="xs">
            {agent.is_chief_of_staff ? agentTexts.chiefHint : <CopyText text={agentId} />}
            <ChangedBy of={agentHistory(agentId)} />
          </Group>
        )
      }
      breadcrumbs={[{ label: agentTexts.title, to: { to: '/p/$projectId/agents', params: { projectId } } }]}
      actions={agent && !agent.is_chief_of_staff && <DeleteAgent id={agent.id} />}
    >
      {error && !agent && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!agent && !error && <Skeleton height={420} />}
      {data && <AgentEditor key={agentId} agent={data.data} etag={data.etag} />}
    </Page>
  );
}

function DeleteAgent({ id }: { id: string }): ReactNode {
  const may = useScope('agents:write');
  const projectId = useProjectId();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE('/api/v1/agents/{id}', { params: { path: { id } } })),
    onSuccess: async () => {
      await navigate({ to: '/p/$projectId/agents', params: { projectId } });
      await queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['agents']) });
    },
  });
  if (!may) return null;
  return (
    <>
      <ConfirmButton question={agentTexts.removeQuestion} loading={remove.isPending} onConfirm={() => remove.mutate()}>
        {agentTexts.remove}
      </ConfirmButton>
      <ProblemAlert error={remove.error} />
    </>
  );
}

// The tabs themselves stay open to readers without the scope.
const editable = (fields: ReactNode): ReactNode => <Editable scope="agents:write">{fields}</Editable>;

/** Everything of an agent, in tabs with one draft over all of them. */
function AgentEditor({ agent, etag }: { agent: Schema<'AgentDetail'>; etag: string | null }): ReactNode {
  const { tab = 'instructions' } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/agents/$agentId' });
  const editor = useEditor({
    saved: valuesOf(agent),
    etag,
    touched: ['agents'],
    announce: uiTexts.saved,
    save: ({ change: body }, match) =>
      answer(
        api.PATCH('/api/v1/agents/{id}', {
          params: { path: { id: agent.id }, header: { 'If-Match': match } },
          body,
        }),
      ),
  });
  const draft = useChange(async () => {
    const params = { path: { id: agent.id } };
    const body = { ...editor.change, based_on: agent.version };
    await answer(api.POST('/api/v1/agents/{id}/versions', { params, body }));
    editor.discard();
    await navigate({ search: { tab: 'versions' } });
  }, 'agents');
  const part = { value: editor.value, onChange: editor.set, error: editor.error };
  const { tabs } = agentTexts;
  return (
    <>
      <UrlTabs
        label={agent.name}
        value={tab}
        onChange={(next) => void navigate({ search: (before) => ({ ...before, tab: next }) })}
        tabs={[
          { value: 'instructions', label: tabs.instructions, content: editable(<AgentInstructions {...part} />) },
          { value: 'tools', label: tabs.tools, content: editable(<AgentTools {...part} agent={agent} />) },
          { value: 'powers', label: tabs.powers, content: editable(<AgentPowers {...part} />) },
          { value: 'budget', label: tabs.budget, content: editable(<AgentBudget {...part} />) },
          { value: 'try', label: tabs.try, content: <TryAgent {...part} agent={agent} edits={editor.change} /> },
          {
            value: 'versions',
            label: tabs.versions,
            content: <VersionHistory of={agentHistory(agent.id)} inForce={agent.version} />,
          },
          { value: 'compare', label: tabs.compare, content: <CompareAgent agent={agent} /> },
          {
            value: 'publish',
            label: tabs.publish,
            content: <PublishAgent agentId={agent.id} agentName={agent.name} />,
          },
          { value: 'usage', label: tabs.usage, content: <AgentUsage agentId={agent.id} /> },
        ]}
      />
      <ProblemAlert error={errorBeside(editor.error, agentFields)} />
      <ProblemAlert error={draft.error} />
      <SaveBar {...editor.bar}>
        <Button variant="default" loading={draft.isPending} onClick={() => draft.mutate()}>
          {agentTexts.versions.saveDraft}
        </Button>
      </SaveBar>
      <EtagConflict label={agentTexts.title} {...editor.conflict} />
    </>
  );
}
