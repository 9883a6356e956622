import { Group, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { integrationTexts } from '../../texts/integrations.js';
import { ProjectLink } from '../../ui/project-link.js';
import { Section } from '../../ui/section.js';
import type { App } from './use-app-change.js';

const texts = integrationTexts.app;
const most = 200;

/** Skills that use the credentials of this App: one consent serves all of them. */
export function AppSkills({ app }: { app: App }): ReactNode {
  const may = useScope('tools:read');
  const mine = new Set(app.credentials.map(({ credential_id }) => credential_id));
  const { data } = useProjectQuery(
    ['skills', 'all'],
    async (signal) => (await answer(api.GET('/api/v1/skills', { params: { query: { limit: most } }, signal }))).data,
    { enabled: may },
  );
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
