import { Group, Skeleton, Stack, Table, Text } from '@mantine/core';
import { Link2Off } from 'lucide-react';
import type { ReactNode } from 'react';
import { useApps, useSkills } from '../../api/choices.js';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { credentialTexts } from '../../texts/credentials.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { ProjectLink } from '../../ui/links.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { When } from '../../ui/when.js';
import { type Credential, useBindings, useCredentialMutation } from './use-credential.js';

const texts = credentialTexts.uses;
type Binding = Schema<'BindingView'>;

/** What reads the credential, and which fields each gets. */
export function CredentialUses({ credential }: { credential: Credential }): ReactNode {
  const { data: bindings, error, refetch } = useBindings(credential.id);
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!bindings) return <Skeleton height={120} />;
  if (bindings.length === 0) return <EmptyState icon={Link2Off} {...texts.empty} />;
  return (
    <Stack gap="sm">
      <Text c="dimmed">{texts.text}</Text>
      <Table.ScrollContainer minWidth={640}>
        <Table aria-label={credentialTexts.one.tabs.uses} verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.columns.consumer}</Table.Th>
              <Table.Th>{texts.columns.fields}</Table.Th>
              <Table.Th>{texts.columns.names}</Table.Th>
              <Table.Th>{texts.columns.since}</Table.Th>
              <Table.Td />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {bindings.map((binding) => (
              <Use key={binding.id} credential={credential} binding={binding} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}

function Use({ credential, binding }: { credential: Credential; binding: Binding }): ReactNode {
  const may = useScope('credentials:write');
  const mayApprove = useScope('admin');
  const { fields, maps_to, approved, awaiting_approval: awaiting, created_at } = binding;
  const path = { id: credential.id, bindingId: binding.id };
  const approve = useCredentialMutation(() =>
    answer(
      api.PATCH('/api/v1/credentials/{id}/bindings/{bindingId}', {
        params: { path },
        body: { approve: [...approved, ...awaiting] },
      }),
    ),
  );
  const unbind = useCredentialMutation(() =>
    answer(api.DELETE('/api/v1/credentials/{id}/bindings/{bindingId}', { params: { path } })),
  );
  const names = Object.entries(maps_to).map(([field, name]) => `${field} → ${name}`);
  return (
    <Table.Tr>
      <Table.Td>
        <ConsumerName kind={binding.consumer_kind} id={binding.consumer_id} />
      </Table.Td>
      <Table.Td>
        {fields?.join(', ') ?? texts.all}
        {awaiting.length > 0 && <Text size="sm">{texts.awaiting(awaiting.join(', '))}</Text>}
      </Table.Td>
      <Table.Td>{names.length > 0 ? <code>{names.join(', ')}</code> : '–'}</Table.Td>
      <Table.Td>
        <When at={created_at} relative />
      </Table.Td>
      <Table.Td>
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          {mayApprove && awaiting.length > 0 && (
            <ConfirmButton
              size="compact-sm"
              question={texts.approveQuestion(awaiting.join(', '))}
              onConfirm={() => approve.mutate(undefined)}
            >
              {texts.approve}
            </ConfirmButton>
          )}
          {may && (
            <ConfirmButton size="compact-sm" question={texts.unbindQuestion} onConfirm={() => unbind.mutate(undefined)}>
              {texts.unbind}
            </ConfirmButton>
          )}
        </Group>
        <ProblemAlert error={approve.error ?? unbind.error} />
      </Table.Td>
    </Table.Tr>
  );
}

type Kind = Schema<'BindingView'>['consumer_kind'];
/** Where each kind has its pages. */
const folders: Readonly<Record<Kind, string>> = {
  app: 'integrations',
  skill: 'skills',
  mcp_server: 'mcp-servers',
  provider: 'models',
};
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
  const { data: providers } = useProjectQuery(
    ['providers'],
    (signal) => answer(api.GET('/api/v1/providers', { signal })),
    {
      enabled: kind === 'provider',
    },
  );
  const named = {
    app: apps?.find((one) => one.id === id),
    skill: skills?.find((one) => one.id === id),
    provider: providers?.data.find((one) => one.id === id),
    mcp_server: server,
  };
  const name = named[kind]?.name ?? id;
  return (
    <>
      <ProjectLink path={`/${folders[kind]}/${id}`}>{name}</ProjectLink>{' '}
      <Text span size="sm" c="dimmed">
        {credentialTexts.uses.kinds[kind]}
      </Text>
    </>
  );
}
