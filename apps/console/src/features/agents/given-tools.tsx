import { Alert, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/named-schema.js';
import { agentTexts } from '../../texts/agents.js';
import { GradeBadge } from '../../ui/grade-badge.js';
import { Section } from '../../ui/section.js';

const texts = agentTexts.tools;

/** Which tools the model gets, finds by search and never gets, with what to do about the last. */
export function GivenTools({ toolset }: { toolset: Schema<'AgentToolsetView'> }): ReactNode {
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
