import { Text } from '@mantine/core';
import { ShieldCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useCursorList } from '../../api/project-query.js';
import { useScope } from '../../api/session.js';
import { integrationTexts } from '../../texts/integrations.js';
import { CameBack } from '../../ui/came-back.js';
import { uiTexts } from '../../texts/ui.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/notices.js';
import { RefusalCode } from '../../ui/refusal-code.js';
import { When } from '../../ui/when.js';

const texts = integrationTexts.requests;
const pageSize = 50;
/** No event reports a refused request, so the list is polled. */
const refetchMs = 5_000;

const columns: Column<Schema<'RefusalView'>>[] = [
  { id: 'code', label: texts.columns.code, width: 'minmax(0, 2fr)', cell: ({ code }) => <RefusalCode code={code} /> },
  {
    id: 'from',
    label: texts.columns.from,
    cell: ({ method, remote_address }) => `${method} ${remote_address}`,
    hideOnPhone: true,
  },
  {
    id: 'bytes',
    label: texts.columns.bytes,
    width: '90px',
    cell: ({ body_bytes }) => `${body_bytes} B`,
    hideOnPhone: true,
  },
  {
    id: 'headers',
    label: texts.columns.headers,
    width: 'minmax(0, 3fr)',
    cell: ({ header_names }) => header_names.replaceAll(',', ', '),
    hideOnPhone: true,
  },
  { id: 'back', label: uiTexts.cameBack.label, width: '110px', cell: (row) => <CameBack {...row} /> },
  { id: 'at', label: texts.columns.at, width: '110px', cell: ({ at }) => <When at={at} relative /> },
];

/** Requests to one App that were refused. */
export default function RefusedRequests({ appId }: { appId: string }): ReactNode {
  const may = useScope('events:read');
  const list = useCursorList(
    ['refusals', appId],
    (cursor, signal) =>
      answer(api.GET('/api/v1/refusals', { params: { query: { limit: pageSize, cursor, app_id: appId } }, signal })),
    { enabled: may, refetchInterval: refetchMs },
  );
  return (
    <>
      <Text c="dimmed" mb="sm">
        {texts.intro}
      </Text>
      <DataTable
        label={integrationTexts.app.tabs.requests}
        columns={columns}
        list={list}
        rowKey={({ id }) => id}
        empty={<EmptyState icon={ShieldCheck} {...texts.empty} />}
      />
    </>
  );
}
