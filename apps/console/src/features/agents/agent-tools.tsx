import { Alert, Grid, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useProjectId } from '../../api/project-query.js';
import { useSkills, useTools } from '../../api/choices.js';
import type { Schema } from '../../api/client.js';
import { agentTexts } from '../../texts/agents.js';
import { type Assignable, AssignList } from '../../ui/assign-list.js';
import { GradeBadge } from '../../ui/status-badge.js';
import { Section } from '../../ui/page.js';
import { TextLink } from '../../ui/links.js';
import type { PartProps } from './agent-fields.js';

const texts = agentTexts.tools;
const common = { nothingLeft: texts.nothing, removeLabel: texts.remove };
const builtinId = (name: string): string => `builtin:${name}`;

/** What the agent has from Skills and directly, and what its model gets of that. */
export function AgentTools({
  value,
  onChange,
  toolset,
}: PartProps & { toolset: Schema<'AgentToolsetView'> }): ReactNode {
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
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <GivenTools toolset={toolset} />
      </Grid.Col>
    </Grid>
  );
}

/** Which tools the model gets, finds by search and never gets, with what to do about the last. */
function GivenTools({ toolset }: { toolset: Schema<'AgentToolsetView'> }): ReactNode {
  const { offered, by_search: bySearch, left_out: leftOut, problems, error } = toolset;
  return (
    <Section title={texts.given}>
      <Stack gap="md">
        {error && (
          <Alert color="yellow" variant="light">
            {error.message}
          </Alert>
        )}
        {problems.map((problem) => (
          <Alert key={problem} color="yellow" variant="light">
            {problem}
          </Alert>
        ))}
        <div>
          <Text fw={500}>{offered.length > 0 ? texts.offered(offered.length) : texts.nothingOffered}</Text>
          {offered.map(({ name, skill, grade }) => (
            <Group key={`${skill} ${name}`} gap={8} mt={4}>
              <code style={{ overflowWrap: 'anywhere' }}>{name}</code>
              <GradeBadge grade={grade} />
            </Group>
          ))}
        </div>
        {bySearch.length > 0 && <Text fw={500}>{texts.bySearch(bySearch.length)}</Text>}
        {leftOut.length > 0 && (
          <div>
            <Text fw={500}>{texts.leftOut}</Text>
            {leftOut.map(({ name, skill, what_to_do: todo }) => (
              <div key={`${skill} ${name}`} style={{ marginTop: 6, overflowWrap: 'anywhere' }}>
                <code>{name}</code>{' '}
                {skill && (
                  <Text span size="sm" c="dimmed">
                    {texts.ofSkill(skill)}
                  </Text>
                )}
                <Text size="sm" c="dimmed">
                  {todo}
                </Text>
              </div>
            ))}
          </div>
        )}
      </Stack>
    </Section>
  );
}
