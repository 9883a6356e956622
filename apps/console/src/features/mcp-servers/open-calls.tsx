import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useContactNames } from '../../api/principals.js';
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
  const nameOf = useContactNames(data?.data.map(({ contact_id: id }) => id) ?? []);
  if (!data || data.data.length === 0) return null;
  return (
    <Section title={mcpTexts.openCalls.title} flush>
      <DataTable
        label={mcpTexts.openCalls.title}
        columns={columnsOf(nameOf)}
        list={{ rows: data.data, loading: false, error: null }}
        rowKey={({ id }) => id}
        rowLink={({ receipt_id: eventId }) => ({ to: '/p/$projectId/events/$eventId', params: { projectId, eventId } })}
        empty={null}
      />
    </Section>
  );
}

const { columns: names, states } = mcpTexts.openCalls;

type OpenCall = Schema<'OpenCallView'>;

const columnsOf = (nameOf: (id: string | null) => string | undefined): Column<OpenCall>[] => [
  { id: 'tool', label: names.tool, width: 'minmax(0, 1.4fr)', cell: ({ tool }) => <code>{tool}</code> },
  { id: 'waits', label: names.waits, width: 'minmax(0, 1.2fr)', cell: ({ state }) => states[state] ?? state },
  {
    id: 'contact',
    label: names.contact,
    width: 'minmax(0, 1fr)',
    cell: ({ contact_id: id }) => nameOf(id) ?? id ?? mcpTexts.openCalls.nobody,
  },
  { id: 'since', label: names.since, width: '110px', cell: ({ created_at: at }) => <When at={at} relative /> },
  {
    id: 'until',
    label: names.until,
    width: '170px',
    cell: ({ expires_at: at }) => <When at={at} />,
    hideOnPhone: true,
  },
];
