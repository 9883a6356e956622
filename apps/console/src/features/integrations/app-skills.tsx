import { Group, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useScope } from '../../api/session.js';
import { useSkills } from '../../api/skills.js';
import { integrationTexts } from '../../texts/integrations.js';
import { ProjectLink } from '../../ui/project-link.js';
import { Section } from '../../ui/section.js';
import type { App } from './use-app-change.js';

const texts = integrationTexts.app;

/** Skills that use the credentials of this App: one consent serves all of them. */
export function AppSkills({ app }: { app: App }): ReactNode {
  const may = useScope('tools:read');
  const mine = new Set(app.credentials.map(({ credential_id }) => credential_id));
  const { data } = useSkills({ enabled: may });
  if (!may || app.kind === 'builtin') return null;
  const skills = data?.filter(
    ({ id, credentials }) => id === app.skill_id || credentials.some(({ credential_id }) => mine.has(credential_id)),
  );
  return (
    <Section title={texts.skills}>
      {!skills && <Skeleton height={22} />}
      {skills?.length === 0 && <Text c="dimmed">{texts.noSkills}</Text>}
      <Group gap="sm">
        {skills?.map(({ id, name }) => (
          <ProjectLink key={id} path={`/skills/${id}`}>
            {name}
          </ProjectLink>
        ))}
      </Group>
    </Section>
  );
}
