import { Button, Group, Skeleton, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useScope } from '../../api/session.js';
import { usePrincipalName } from '../../api/principals.js';
import { developerPortalTexts } from '../../texts/developer-portal.js';
import { ConfirmButton } from '../../ui/action-button.js';
import { ProblemAlert } from '../../ui/notices.js';
import { Section } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';
import { ManifestDifferences } from './manifest-differences.js';
import { type Adapter, type ManifestVersion, useAdapterMutation, useVersions } from './use-adapter.js';

const texts = developerPortalTexts.versions;

interface VersionsProps {
  adapter: Adapter;
  /** The number of the open version. */
  open: number | undefined;
  onOpen: (number: number | undefined) => void;
}

/** Every manifest that was fetched: which one is in force, what each changed, and rolling back. */
export function Versions({ adapter, open, onOpen }: VersionsProps): ReactNode {
  const { data: versions, error, refetch } = useVersions(adapter.id);
  const nameOf = usePrincipalName();
  if (error) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (!versions) return <Skeleton height={160} />;
  const shown = versions.find(({ number }) => number === open);
  return (
    <Stack gap="md">
      {shown && <OneVersion adapter={adapter} version={shown} onClose={() => onOpen(undefined)} />}
      <Table.ScrollContainer minWidth={560}>
        <Table aria-label={developerPortalTexts.one.tabs.versions} verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.columns.number}</Table.Th>
              <Table.Th>{texts.columns.state}</Table.Th>
              <Table.Th>{texts.columns.differences}</Table.Th>
              <Table.Th>{texts.columns.at}</Table.Th>
              <Table.Th>{texts.columns.by}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {versions.map((version) => (
              <Table.Tr key={version.id}>
                <Table.Td>
                  <Button variant="transparent" size="compact-sm" px={0} onClick={() => onOpen(version.number)}>
                    {developerPortalTexts.manifest.version(version.number)}
                  </Button>
                </Table.Td>
                <Table.Td>
                  <VersionState adapter={adapter} version={version} />
                </Table.Td>
                <Table.Td>{version.number === 1 ? texts.first : texts.count(version.differences.length)}</Table.Td>
                <Table.Td>
                  <When at={version.created_at} relative />
                </Table.Td>
                <Table.Td>{nameOf(version.fetched_by)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  );
}

function VersionState({ adapter, version }: { adapter: Adapter; version: ManifestVersion }): ReactNode {
  if (version.number === adapter.manifest_version) return <StatusBadge status="in_force" />;
  if (version.activated_at === null) return <StatusBadge status="awaits_approval" />;
  return (
    <Text size="sm" c="dimmed">
      {texts.before}
    </Text>
  );
}

interface OneVersionProps {
  adapter: Adapter;
  version: ManifestVersion;
  onClose: () => void;
}

function OneVersion({ adapter, version, onClose }: OneVersionProps): ReactNode {
  const may = useScope('apps:write');
  const { id } = adapter;
  const { number, differences, activated_at: activated } = version;
  const approve = useAdapterMutation(() =>
    answer(api.POST('/api/v1/adapters/{id}/versions/{number}/approve', { params: { path: { id, number } } })),
  );
  const rollBack = useAdapterMutation(() =>
    answer(api.POST('/api/v1/adapters/{id}/roll-back', { params: { path: { id } }, body: { version: number } })),
  );
  const inForce = number === adapter.manifest_version;
  return (
    <Section
      title={texts.differenceTitle(number)}
      actions={
        <Group gap="xs">
          {may && activated === null && !inForce && (
            <ConfirmButton
              variant="filled"
              size="compact-sm"
              question={texts.approveQuestion(differences.filter((one) => one.needs_approval).length)}
              loading={approve.isPending}
              onConfirm={() => approve.mutate(undefined)}
            >
              {texts.approve}
            </ConfirmButton>
          )}
          {may && activated !== null && !inForce && (
            <ConfirmButton
              size="compact-sm"
              question={texts.rollBackQuestion}
              loading={rollBack.isPending}
              onConfirm={() => rollBack.mutate(undefined)}
            >
              {texts.rollBack}
            </ConfirmButton>
          )}
          <Button size="compact-sm" variant="subtle" color="gray" onClick={onClose}>
            {texts.close}
          </Button>
        </Group>
      }
    >
      <Stack gap="sm">
        {(approve.isSuccess || rollBack.isSuccess) && inForce && <Text role="status">{texts.approved(number)}</Text>}
        <ProblemAlert error={approve.error ?? rollBack.error} />
        <ManifestDifferences differences={differences} />
      </Stack>
    </Section>
  );
}
