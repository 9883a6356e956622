import { Group, Select, Stack, Textarea, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAgents } from '../../api/choices.js';
import { useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/client.js';
import { agentTexts } from '../../texts/agents.js';
import { AssignList } from '../../ui/assign-list.js';
import { TextLink } from '../../ui/links.js';
import { GradeBadge } from '../../ui/status-badge.js';
import type { PartProps } from './agent-fields.js';

const texts = agentTexts.asked;
const grades = ['read', 'write', 'destructive'] as const;
type Grant = Schema<'AgentGrantBody'>;

interface AskedAgentsProps extends Pick<PartProps, 'value' | 'onChange'> {
  agentId: string;
}

/** Other agents that the agent may ask: each is a tool with a name, a description and a grade. */
export function AskedAgents({ value, onChange, agentId }: AskedAgentsProps): ReactNode {
  const projectId = useProjectId();
  const { data: agents = [] } = useAgents();
  const change = (id: string, patch: Partial<Grant>): void =>
    onChange({ agents: value.agents.map((grant) => (grant.agent_id === id ? { ...grant, ...patch } : grant)) });
  const nameOf = (id: string): string => agents.find((agent) => agent.id === id)?.name ?? id;
  return (
    <AssignList
      label={texts.title}
      hint={texts.hint}
      add={texts.add}
      none={texts.none}
      nothingLeft={texts.nothing}
      removeLabel={agentTexts.tools.remove}
      options={agents
        .filter(({ id }) => id !== agentId)
        .map(({ id, name }) => ({
          id,
          name,
          mark: <GradeBadge grade={value.agents.find((grant) => grant.agent_id === id)?.grade ?? 'read'} />,
          link: (
            <TextLink to={{ to: '/p/$projectId/agents/$agentId', params: { projectId, agentId: id } }}>{name}</TextLink>
          ),
        }))}
      chosen={value.agents.map(({ agent_id: id }) => id)}
      onChange={(ids) =>
        onChange({
          agents: ids.map(
            (id) => value.agents.find((grant) => grant.agent_id === id) ?? granted(id, nameOf(id), value.agents),
          ),
        })
      }
      extra={(id) => {
        const grant = value.agents.find((one) => one.agent_id === id);
        return grant && <GrantFields grant={grant} name={nameOf(id)} onChange={(patch) => change(id, patch)} />;
      }}
    />
  );
}

interface GrantFieldsProps {
  grant: Grant;
  /** Of the other agent. */
  name: string;
  onChange: (patch: Partial<Grant>) => void;
}

function GrantFields({ grant, name, onChange }: GrantFieldsProps): ReactNode {
  return (
    <Stack gap="xs" mt={6} role="group" aria-label={name}>
      <Group gap="xs" grow align="flex-start">
        <TextInput
          size="xs"
          label={texts.name}
          maxLength={64}
          value={grant.name}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <Select
          size="xs"
          label={texts.grade}
          allowDeselect={false}
          data={grades.map((grade) => ({ value: grade, label: agentTexts.powers.grades[grade] }))}
          value={grant.grade}
          onChange={(next) => onChange({ grade: grades.find((grade) => grade === next) ?? 'read' })}
        />
      </Group>
      <Textarea
        size="xs"
        label={texts.description}
        placeholder={texts.descriptionExample}
        maxLength={2_000}
        autosize
        value={grant.description}
        onChange={(event) => onChange({ description: event.currentTarget.value })}
      />
    </Stack>
  );
}

/** A first grant of an agent, with a name that no other one has. */
function granted(agent_id: string, agentName: string, others: readonly Grant[]): Grant {
  const words = agentName.toLowerCase().match(/[a-z0-9]+/g) ?? ['agent'];
  const base = `ask_${words.join('_')}`.slice(0, 60);
  const taken = others.map(({ name }) => name);
  const free = [base, ...taken.map((_, at) => `${base}_${at + 2}`)].find((name) => !taken.includes(name));
  return { agent_id, name: free ?? base, description: '', grade: 'read' };
}
