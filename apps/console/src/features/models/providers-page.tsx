import { Table } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Cpu, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { modelTexts } from '../../texts/models.js';
import { ActionButton } from '../../ui/action-button.js';
import { useReason } from '../../ui/editable.js';
import { ProjectLink } from '../../ui/links.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import { When } from '../../ui/when.js';
import { ConnectProvider } from './connect-provider.js';

const route = getRouteApi('/p/$projectId/models');

export function ProvidersPage(): ReactNode {
  const { connect } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/models' });
  const reason = useReason('agents:write');
  const { data, error, refetch } = useProjectQuery(['providers'], (signal) =>
    answer(api.GET('/api/v1/providers', { signal })),
  );
  const { columns } = modelTexts;
  const button = (
    <ActionButton
      leftSection={<Plus size={15} aria-hidden />}
      reason={reason}
      onClick={() => void navigate({ search: { connect: true } })}
    >
      {modelTexts.connect}
    </ActionButton>
  );
  return (
    <Page title={modelTexts.title} description={modelTexts.description} actions={button}>
      <ProblemAlert error={data ? null : error} onRetry={() => void refetch()} />
      {data?.data.length === 0 && <EmptyState icon={Cpu} {...modelTexts.empty} action={button} />}
      {data !== undefined && data.data.length > 0 && (
        <Table aria-label={modelTexts.title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{columns.name}</Table.Th>
              <Table.Th>{columns.kind}</Table.Th>
              <Table.Th>{columns.defaultModel}</Table.Th>
              <Table.Th>{columns.tested}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.data.map((provider) => (
              <Table.Tr key={provider.id}>
                <Table.Td>
                  <ProjectLink path={`/models/${provider.id}`}>{provider.name}</ProjectLink>
                </Table.Td>
                <Table.Td>{provider.kind}</Table.Td>
                <Table.Td>{provider.default_model}</Table.Td>
                <Table.Td>
                  {provider.tested ? <When at={provider.tested.at} relative /> : modelTexts.notTested}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      <ConnectProvider
        opened={connect === true && reason === null}
        onClose={() => void navigate({ search: {}, replace: true })}
      />
    </Page>
  );
}
