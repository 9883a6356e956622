import { PhoneCall } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useCursorList } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';
import { toolTexts } from '../../texts/tools.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/empty-state.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';

const texts = toolTexts.calls;
const pageSize = 50;
const everyMs = 5_000;

/** Who called a tool, and how it ended. */
export function ToolCalls({ toolId }: { toolId: string }): ReactNode {
  const list = useCursorList(
    ['tools', toolId, 'calls'],
    (cursor, signal) => {
      const params = { path: { id: toolId }, query: { limit: pageSize, cursor } };
      return answer(api.GET('/api/v1/tools/{id}/calls', { params, signal }));
    },
    { refetchInterval: everyMs },
  );
  return (
    <DataTable
      label={toolTexts.tabs.calls}
      columns={columns}
      list={list}
      rowKey={({ id }) => id}
      empty={<EmptyState icon={PhoneCall} {...texts.empty} />}
    />
  );
}

const columns: Column<Schema<'McpCallView'>>[] = [
  { id: 'caller', label: texts.columns.caller, width: 'minmax(0, 2fr)', cell: ({ caller }) => <code>{caller}</code> },
  {
    id: 'outcome',
    label: texts.columns.outcome,
    cell: ({ outcome }) => (
      <StatusBadge status={outcome} tone={['ok', 'started'].includes(outcome) ? undefined : 'bad'} />
    ),
  },
  { id: 'took', label: texts.columns.took, width: '100px', cell: ({ duration_ms }) => texts.took(duration_ms) },
  { id: 'at', label: texts.columns.at, width: '110px', cell: ({ at }) => <When at={at} relative /> },
];
