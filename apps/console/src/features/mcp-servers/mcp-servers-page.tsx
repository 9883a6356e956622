import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Plug, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useCursorList, useProjectId } from '../../api/project-query.js';
import { mcpTexts } from '../../texts/mcp-servers.js';
import { ActionButton } from '../../ui/action-button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { useReason } from '../../ui/editable.js';
import { EmptyState } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import { When } from '../../ui/when.js';
import { HealthBadge } from './server-actions.js';
import { RegisterServer } from './register-server.js';

const route = getRouteApi('/p/$projectId/mcp-servers');
const pageSize = 50;
const everyMs = 10_000;

export function McpServersPage(): ReactNode {
  const { register } = route.useSearch();
  const projectId = useProjectId();
  const navigate = useNavigate({ from: '/p/$projectId/mcp-servers' });
  const reason = useReason('tools:write');
  const list = useCursorList(
    ['mcp-servers', 'list'],
    (cursor, signal) =>
      answer(api.GET('/api/v1/mcp-servers', { params: { query: { limit: pageSize, cursor } }, signal })),
    { refetchInterval: everyMs },
  );
  const button = (
    <ActionButton
      leftSection={<Plus size={15} aria-hidden />}
      reason={reason}
      onClick={() => void navigate({ search: { register: true } })}
    >
      {mcpTexts.register}
    </ActionButton>
  );
  return (
    <Page title={mcpTexts.title} description={mcpTexts.description} actions={button}>
      <DataTable
        label={mcpTexts.title}
        columns={columns}
        list={list}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({ to: '/p/$projectId/mcp-servers/$serverId', params: { projectId, serverId: id } })}
        empty={<EmptyState icon={Plug} {...mcpTexts.empty} action={button} />}
      />
      <RegisterServer
        opened={register === true && reason === null}
        onClose={() => void navigate({ search: {}, replace: true })}
      />
    </Page>
  );
}

const { columns: names } = mcpTexts;
const columns: Column<Schema<'ServerView'>>[] = [
  { id: 'name', label: names.name, value: ({ name }) => name, width: 'minmax(0, 1.2fr)', cell: ({ name }) => name },
  {
    id: 'url',
    label: names.url,
    value: ({ url }) => url,
    width: 'minmax(0, 2fr)',
    cell: ({ url }) => <code>{url}</code>,
    hideOnPhone: true,
  },
  { id: 'health', label: names.health, width: '130px', cell: ({ health }) => <HealthBadge health={health} /> },
  { id: 'tools', label: names.tools, cell: ({ tools }) => mcpTexts.count(tools) },
  {
    id: 'checked',
    label: names.checked,
    value: (row) => row.checked_at,
    width: '110px',
    cell: (row) => <When at={row.checked_at} relative />,
  },
];
