import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { projectKey, useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { agentTexts } from '../../texts/agents.js';
import { uiTexts } from '../../texts/ui.js';
import { Editable } from '../../ui/editable.js';
import { isConflict } from '../../api/problem.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { errorBeside } from '../../ui/field-errors.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { SaveBar } from '../../ui/save-bar.js';
import { UrlTabs } from '../../ui/url-tabs.js';
import { useDraft } from '../../ui/use-draft.js';
import { AgentBudget } from './agent-budget.js';
import { AgentInstructions } from './agent-instructions.js';
import { AgentPowers } from './agent-powers.js';
import { AgentTools } from './agent-tools.js';
import { AgentUsage } from './agent-usage.js';
import { agentFields, valuesOf } from './agent-values.js';

// The tabs themselves stay open to readers without the scope.
const editable = (fields: ReactNode): ReactNode => <Editable scope="agents:write">{fields}</Editable>;

const route = getRouteApi('/p/$projectId/agents/$agentId');

/** Everything of an agent, in tabs with one draft over all of them. */
export function AgentEditor({ agent, etag }: { agent: Schema<'AgentDetail'>; etag: string | null }): ReactNode {
  const { tab = 'instructions' } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/agents/$agentId' });
  const projectId = useProjectId();
  const queryClient = useQueryClient();
  const draft = useDraft(valuesOf(agent), etag);
  const save = useMutation({
    mutationFn: (match: string | null) =>
      answer(
        api.PATCH('/api/v1/agents/{id}', {
          params: { path: { id: agent.id }, header: match ? { 'If-Match': match } : {} },
          body: draft.change,
        }),
      ),
    onSuccess: () => notifications.show({ message: uiTexts.saved, color: 'teal' }),
    onSettled: async (_saved, error) => {
      await queryClient.invalidateQueries({ queryKey: projectKey(projectId, ['agents']) });
      if (!error) draft.discard();
    },
  });
  const part = { value: draft.value, onChange: draft.set, error: save.error };
  const { tabs } = agentTexts;
  return (
    <>
      <UrlTabs
        label={agent.name}
        value={tab}
        onChange={(next) => void navigate({ search: { tab: next } })}
        tabs={[
          { value: 'instructions', label: tabs.instructions, content: editable(<AgentInstructions {...part} />) },
          { value: 'tools', label: tabs.tools, content: editable(<AgentTools {...part} toolset={agent.toolset} />) },
          { value: 'powers', label: tabs.powers, content: editable(<AgentPowers {...part} />) },
          { value: 'budget', label: tabs.budget, content: editable(<AgentBudget {...part} />) },
          { value: 'usage', label: tabs.usage, content: <AgentUsage agentId={agent.id} /> },
        ]}
      />
      <ProblemAlert error={isConflict(save.error) ? null : errorBeside(save.error, agentFields)} />
      <SaveBar
        changed={draft.changed}
        saving={save.isPending}
        onSave={() => save.mutate(draft.etag)}
        onDiscard={() => {
          draft.discard();
          save.reset();
        }}
      />
      <EtagConflict
        error={save.error}
        label={agentTexts.title}
        theirs={valuesOf(agent)}
        mine={draft.value}
        onTakeTheirs={() => {
          draft.discard();
          save.reset();
        }}
        onSaveMine={() => save.mutate(null)}
        onClose={save.reset}
      />
    </>
  );
}
