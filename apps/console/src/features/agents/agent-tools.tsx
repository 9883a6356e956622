import { Grid, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useProjectId } from '../../api/project-query.js';
import { useSkills, useTools } from '../../api/choices.js';
import type { Schema } from '../../api/client.js';
import { agentTexts } from '../../texts/agents.js';
import { type Assignable, AssignList } from '../../ui/assign-list.js';
import { GradeBadge } from '../../ui/status-badge.js';
import { TextLink } from '../../ui/links.js';
import type { PartProps } from './agent-fields.js';
import { AskedAgents } from './asked-agents.js';
import { GivenTools } from './given-tools.js';

const texts = agentTexts.tools;
const common = { nothingLeft: texts.nothing, removeLabel: texts.remove };
const builtinId = (name: string): string => `builtin:${name}`;

/** What the agent has from Skills and directly, and what its model gets of that. */
export function AgentTools({ agent, ...part }: PartProps & { agent: Schema<'AgentDetail'> }): ReactNode {
  const { value, onChange } = part;
  const projectId = useProjectId();
  const { data: skills = [] } = useSkills();
  const { data: tools = [] } = useTools();
  const assignable = (tool: Schema<'ToolView'>): Assignable => ({
    id: tool.id,
    name: tool.title ?? tool.name,
    description: tool.description,
    mark: <GradeBadge grade={tool.grade} />,
  });
  return (
    <Grid gap="xl">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Stack gap="xl">
          <AssignList
            {...common}
            label={texts.skills}
            hint={texts.skillsHint}
            add={texts.addSkill}
            none={texts.noSkills}
            options={skills.map(({ id, name, description }) => ({
              id,
              name,
              description,
              link: (
                <TextLink to={{ to: '/p/$projectId/skills/$skillId', params: { projectId, skillId: id } }}>
                  {name}
                </TextLink>
              ),
            }))}
            chosen={value.skills}
            onChange={(next) => onChange({ skills: next })}
          />
          <AssignList
            {...common}
            label={texts.python}
            add={texts.addPython}
            none={texts.noPython}
            options={tools.filter(({ source }) => source === 'python').map(assignable)}
            chosen={value.python_tools}
            onChange={(next) => onChange({ python_tools: next })}
          />
          <AssignList
            {...common}
            label={texts.builtin}
            add={texts.addBuiltin}
            none={texts.noBuiltin}
            options={tools.filter(({ source }) => source === 'builtin').map(assignable)}
            chosen={value.tools.map(builtinId)}
            onChange={(next) => onChange({ tools: next.map((id) => id.slice(builtinId('').length)) })}
          />
          <AskedAgents {...part} agentId={agent.id} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <GivenTools agent={agent} />
      </Grid.Col>
    </Grid>
  );
}
