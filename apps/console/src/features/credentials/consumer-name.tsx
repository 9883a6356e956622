import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useApps } from '../../api/apps.js';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import type { Schema } from '../../api/named-schema.js';
import { credentialTexts } from '../../texts/credentials.js';
import { ProjectLink } from '../../ui/project-link.js';

const most = 200;
/** Where those that have a page have it. */
const folders: Readonly<Partial<Record<Schema<'BindingView'>['consumer_kind'], string>>> = {
  app: 'integrations',
  skill: 'skills',
};

/** Who reads a credential, by name, with what it is. */
export function ConsumerName({ binding }: { binding: Schema<'BindingView'> }): ReactNode {
  const { consumer_kind: kind, consumer_id: id } = binding;
  const { data: apps } = useApps();
  const maySkills = useScope('tools:read');
  const { data: skills } = useProjectQuery(
    ['skills', 'all'],
    async (signal) => (await answer(api.GET('/api/v1/skills', { params: { query: { limit: most } }, signal }))).data,
    { enabled: kind === 'skill' && maySkills },
  );
  const folder = folders[kind];
  const name = (kind === 'app' ? apps : skills)?.find((one) => one.id === id)?.name ?? id;
  return (
    <>
      {folder ? <ProjectLink path={`/${folder}/${id}`}>{name}</ProjectLink> : name}{' '}
      <Text span size="sm" c="dimmed">
        {credentialTexts.uses.kinds[kind]}
      </Text>
    </>
  );
}
