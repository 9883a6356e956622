import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import type { Schema } from '../../api/named-schema.js';
import { agentTexts } from '../../texts/agents.js';
import { uiTexts } from '../../texts/ui.js';
import { Editable } from '../../ui/editable.js';
import { EtagConflict } from '../../ui/etag-conflict.js';
import { errorBeside } from '../../ui/field-errors.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { SaveBar } from '../../ui/save-bar.js';
import { UrlTabs } from '../../ui/url-tabs.js';
import { useEditor } from '../../ui/use-editor.js';
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
  const part = { value: editor.value, onChange: editor.set, error: editor.error };
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
      <ProblemAlert error={errorBeside(editor.error, agentFields)} />
      <SaveBar {...editor.bar} />
      <EtagConflict label={agentTexts.title} {...editor.conflict} />
    </>
  );
}
