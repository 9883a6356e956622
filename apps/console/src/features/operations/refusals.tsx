import { ShieldCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import { useCursorList } from '../../api/project-query.js';
import { operationsTexts } from '../../texts/operations.js';
import { CameBack } from '../../ui/came-back.js';
import { uiTexts } from '../../texts/ui.js';
import { DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/notices.js';
import { FilterBar } from '../../ui/filter-bar.js';
import { AppName } from '../../ui/name-of.js';
import { RefusalCode } from '../../ui/refusal-code.js';
import { When } from '../../ui/when.js';
import { AppFilter, useOperationsSearch } from './filters.js';

const texts = operationsTexts.refusals;
const pageSize = 50;
const pollMs = 5_000;

/** Requests to webhooks that were refused. */
export function Refusals(): ReactNode {
  const { search, change, clear } = useOperationsSearch();
  const { app } = search;
  const list = useCursorList(
    ['refusals', app],
    (cursor, signal) =>
      answer(api.GET('/api/v1/refusals', { params: { query: { app_id: app, limit: pageSize, cursor } }, signal })),
    { refetchInterval: pollMs },
  );
  const { columns } = texts;
  return (
    <>
      <FilterBar filtered={app !== undefined} onClear={clear}>
        <AppFilter value={app} onChange={(next) => change({ app: next })} />
      </FilterBar>
      <DataTable
        label={operationsTexts.sections.refusals.label}
        list={list}
        rowKey={({ id }) => id}
        columns={[
          {
            id: 'code',
            label: columns.code,
            width: 'minmax(0, 2fr)',
            cell: ({ code, header_names }) => <RefusalCode code={code} under={header_names} />,
          },
          { id: 'app', label: columns.app, cell: ({ app_id }) => <AppName id={app_id} /> },
          {
            id: 'from',
            label: columns.from,
            cell: ({ remote_address, method }) => (
              <code>
                {method} {remote_address}
              </code>
            ),
          },
          {
            id: 'size',
            label: columns.size,
            width: '110px',
            cell: ({ body_bytes }) => texts.bytes(body_bytes),
            hideOnPhone: true,
          },
          { id: 'back', label: uiTexts.cameBack.label, width: '110px', cell: (row) => <CameBack {...row} /> },
          { id: 'at', label: columns.at, width: '110px', cell: ({ at }) => <When at={at} relative /> },
        ]}
        empty={<EmptyState icon={ShieldCheck} {...texts.empty} />}
      />
    </>
  );
}
