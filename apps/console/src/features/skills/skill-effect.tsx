import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useApps } from '../../api/choices.js';
import { useProjectId } from '../../api/project-query.js';
import type { Schema } from '../../api/client.js';
import { skillTexts } from '../../texts/skills.js';
import { Section } from '../../ui/page.js';
import { TextLink } from '../../ui/links.js';

const texts = skillTexts.effect;

/** Which agents have it and what they get from it, and where it comes from. */
export function SkillEffect({ skill }: { skill: Schema<'SkillDetail'> }): ReactNode {
  const projectId = useProjectId();
  const { data: apps } = useApps();
  const bringing = apps?.filter(({ skill_id }) => skill_id === skill.id);
  const { agents, more, error } = skill.effect;
  const { server_id: serverId } = skill;
  return (
    <Stack gap="md" maw={820}>
      <Section title={texts.agents}>
        {error && (
          <Alert color="yellow" variant="light">
            {error.message}
          </Alert>
        )}
        {agents.length === 0 && !error && <Text c="dimmed">{texts.nobody}</Text>}
        {agents.map(({ id, name, offered, by_search: bySearch, left_out_total: leftOut }) => (
          <div key={id} style={{ marginBottom: 8 }}>
            <TextLink
              to={{ to: '/p/$projectId/agents/$agentId', params: { projectId, agentId: id }, search: { tab: 'tools' } }}
            >
              {name}
            </TextLink>
            <Text size="sm" c="dimmed">
              {[
                texts.offered(offered),
                ...(bySearch > 0 ? [texts.bySearch(bySearch)] : []),
                ...(leftOut > 0 ? [texts.leftOut(leftOut)] : []),
              ].join(' · ')}
            </Text>
          </div>
        ))}
        {more > 0 && <Text c="dimmed">{texts.more(more)}</Text>}
      </Section>
      {serverId ? (
        <Section title={texts.server}>
          <TextLink to={{ to: '/p/$projectId/mcp-servers/$serverId', params: { projectId, serverId } }}>
            {texts.openServer}
          </TextLink>
        </Section>
      ) : (
        <Section title={texts.apps}>
          {!bringing && <Skeleton height={22} />}
          {bringing?.length === 0 && <Text c="dimmed">{texts.noApps}</Text>}
          {bringing?.map(({ id, name }) => (
            <Text key={id}>{name}</Text>
          ))}
        </Section>
      )}
    </Stack>
  );
}
