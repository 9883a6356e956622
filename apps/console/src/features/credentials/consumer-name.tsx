import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useApps } from '../../api/apps.js';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { useSkills } from '../../api/skills.js';
import type { Schema } from '../../api/named-schema.js';
import { credentialTexts } from '../../texts/credentials.js';
import { ProjectLink } from '../../ui/project-link.js';

type Kind = Schema<'BindingView'>['consumer_kind'];
/** Where each kind has its pages. */
const folders: Readonly<Record<Kind, string>> = { app: 'integrations', skill: 'skills', mcp_server: 'mcp-servers' };
const isKind = (text: string): text is Kind => Object.hasOwn(folders, text);

/** What a credential was created for. @param mark its `managed_for` */
export function ManagedFor({ mark }: { mark: string }): ReactNode {
  const [kind = '', id = ''] = mark.split(':');
  return isKind(kind) ? <ConsumerName kind={kind} id={id} /> : mark;
}

/** What reads a credential: its name and kind. */
export function ConsumerName({ kind, id }: { kind: Kind; id: string }): ReactNode {
  const { data: apps } = useApps();
  const mayTools = useScope('tools:read');
  const { data: skills } = useSkills({ enabled: kind === 'skill' && mayTools });
  const { data: server } = useProjectQuery(
    ['mcp-servers', id],
    (signal) => answer(api.GET('/api/v1/mcp-servers/{id}', { params: { path: { id } }, signal })),
    { enabled: kind === 'mcp_server' && mayTools },
  );
  const named = { app: apps?.find((one) => one.id === id), skill: skills?.find((one) => one.id === id) };
  const name = (kind === 'mcp_server' ? server : named[kind])?.name ?? id;
  return (
    <>
      <ProjectLink path={`/${folders[kind]}/${id}`}>{name}</ProjectLink>{' '}
      <Text span size="sm" c="dimmed">
        {credentialTexts.uses.kinds[kind]}
      </Text>
    </>
  );
}
