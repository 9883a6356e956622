import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { mcpTexts } from '../../texts/mcp-servers.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { Section } from '../../ui/page.js';
import { When } from '../../ui/when.js';

const everyMs = 10_000;

/** Calls of the server's tools that wait for a contact or for a task; nothing while there are none. */
export function OpenCalls({ serverId }: { serverId: string }): ReactNode {
  const projectId = useProjectId();
  const may = useScope('agents:read');
  const { data } = useProjectQuery(
    ['open-calls', serverId],
    (signal) => answer(api.GET('/api/v1/open-calls', { params: { query: { server_id: serverId } }, signal })),
    { refetchInterval: everyMs, enabled: may },
  );
  if (!data || data.data.length === 0) return null;
  return (
    <Section title={mcpTexts.openCalls.title}>
      <DataTable
        label={mcpTexts.openCalls.title}
        columns={columns}
        list={{ rows: data.data, loading: false, error: null }}
        rowKey={({ id }) => id}
        rowLink={({ receipt_id: eventId }) => ({ to: '/p/$projectId/events/$eventId', params: { projectId, eventId } })}
        empty={null}
      />
    </Section>
  );
}

const { columns: names, states } = mcpTexts.openCalls;
const columns: Column<Schema<'OpenCallView'>>[] = [
  { id: 'tool', label: names.tool, width: 'minmax(0, 1.4fr)', cell: ({ tool }) => <code>{tool}</code> },
  { id: 'waits', label: names.waits, width: 'minmax(0, 1.4fr)', cell: ({ state }) => states[state] ?? state },
  { id: 'until', label: names.until, width: '160px', cell: ({ expires_at: until }) => <When at={until} /> },
];
