import { Stack, Switch, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useProjectId } from '../../api/project-query.js';
import { useTools } from '../../api/choices.js';
import type { Schema } from '../../api/client.js';
import { skillTexts } from '../../texts/skills.js';
import { toolWords } from '../../texts/ui.js';
import { AssignList } from '../../ui/assign-list.js';
import { GradeBadge, ToolStateBadge } from '../../ui/status-badge.js';
import { Section } from '../../ui/page.js';
import { TextLink } from '../../ui/links.js';
import type { PartProps } from './skill-knowledge.js';

const texts = skillTexts.tools;

/** The tools of a Skill, each on or off, and those that no model gets. */
export function SkillTools({
  value,
  onChange,
  leftOut,
}: PartProps & { leftOut: Schema<'LeftOutToolView'>[] }): ReactNode {
  const projectId = useProjectId();
  const { data: tools = [] } = useTools();
  const given = new Map(value.tools.map((one) => [one.tool, one]));
  return (
    <Stack gap="lg" maw={820}>
      <AssignList
        label={texts.label}
        hint={texts.hint}
        add={texts.add}
        none={texts.none}
        nothingLeft={texts.nothing}
        removeLabel={texts.remove}
        options={tools.map((tool) => ({
          id: tool.id,
          name: tool.title ?? tool.name,
          description: `${toolWords.sources[tool.source]} · ${tool.description}`,
          mark: (
            <>
              <GradeBadge grade={tool.grade} />
              {tool.state !== 'approved' && <ToolStateBadge state={tool.state} />}
            </>
          ),
          link: (
            <TextLink to={{ to: '/p/$projectId/tools/$toolId', params: { projectId, toolId: tool.id } }}>
              {tool.title ?? tool.name}
            </TextLink>
          ),
        }))}
        chosen={value.tools.map(({ tool }) => tool)}
        onChange={(ids) => onChange({ tools: ids.map((tool) => given.get(tool) ?? { tool }) })}
        extra={(id) => (
          <Switch
            mt={6}
            size="xs"
            label={texts.on}
            checked={given.get(id)?.enabled !== false}
            onChange={(event) => {
              const enabled = event.currentTarget.checked;
              onChange({ tools: value.tools.map((one) => (one.tool === id ? { ...one, enabled } : one)) });
            }}
          />
        )}
      />
      {leftOut.length > 0 && (
        <Section title={texts.leftOut}>
          {leftOut.map(({ name, what_to_do: todo }) => (
            <div key={name} style={{ overflowWrap: 'anywhere', marginBottom: 6 }}>
              <code>{name}</code>
              <Text size="sm" c="dimmed">
                {todo}
              </Text>
            </div>
          ))}
        </Section>
      )}
    </Stack>
  );
}
