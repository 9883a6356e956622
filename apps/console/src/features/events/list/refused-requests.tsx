import { ShieldCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../../api/client.js';
import { useCursorList } from '../../../api/project-query.js';
import { eventTexts } from '../../../texts/events.js';
import { CameBack } from '../../../ui/came-back.js';
import { uiTexts } from '../../../texts/ui.js';
import { type Column, DataTable } from '../../../ui/data-table.js';
import { EmptyState } from '../../../ui/notices.js';
import { AppName } from '../../../ui/name-of.js';
import { ProjectLink } from '../../../ui/links.js';
import { RefusalCode } from '../../../ui/refusal-code.js';
import { size } from '../../../ui/numbers.js';
import { useOrder } from '../../../ui/use-sort.js';
import { When } from '../../../ui/when.js';

const texts = eventTexts.refused;
const pageSize = 100;
const refetchMs = 5_000;

/** Where to look when nothing arrives at all: the requests that were refused. */
export function RefusedRequests({ appId }: { appId: string | undefined }): ReactNode {
  const order = useOrder('at');
  const list = useCursorList(
    ['refusals', appId, order],
    (cursor, signal) => {
      const query = { app_id: appId, order, cursor, limit: pageSize };
      return answer(api.GET('/api/v1/refusals', { params: { query }, signal }));
    },
    { refetchInterval: refetchMs },
  );
  return (
    <DataTable
      label={eventTexts.views.refused}
      columns={columns}
      list={list}
      rowKey={({ id }) => id}
      empty={<EmptyState icon={ShieldCheck} title={texts.emptyTitle} text={texts.emptyText} />}
    />
  );
}

const columns: Column<Schema<'RefusalView'>>[] = [
  {
    id: 'code',
    label: texts.columns.code,
    width: 'minmax(0, 1.4fr)',
    cell: ({ code }) => <RefusalCode code={code} />,
  },
  {
    id: 'app',
    label: texts.columns.app,
    cell: ({ app_id }) => (
      <ProjectLink path={`/integrations/${app_id}`}>
        <AppName id={app_id} />
      </ProjectLink>
    ),
  },
  { id: 'from', label: texts.columns.from, cell: ({ remote_address }) => <code>{remote_address}</code> },
  { id: 'size', label: texts.columns.size, width: '90px', cell: ({ body_bytes }) => size(body_bytes) },
  {
    id: 'headers',
    label: texts.columns.headers,
    width: 'minmax(0, 2fr)',
    hideOnPhone: true,
    cell: ({ header_names }) => <span title={header_names}>{header_names.replaceAll(',', ', ')}</span>,
  },
  { id: 'back', label: uiTexts.cameBack.label, width: '110px', cell: (row) => <CameBack {...row} /> },
  { id: 'at', label: texts.columns.at, ordered: true, width: '110px', cell: ({ at }) => <When at={at} relative /> },
];
