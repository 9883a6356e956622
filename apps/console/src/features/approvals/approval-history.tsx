import { History } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { usePrincipalName } from '../../api/principals.js';
import { useCursorList, useProjectId } from '../../api/project-query.js';
import { own } from '../../own.js';
import { approvalTexts } from '../../texts/approvals.js';
import { uiTexts } from '../../texts/ui.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/notices.js';
import { FilterBar, FilterSelect } from '../../ui/filter-bar.js';
import { AgentName } from '../../ui/name-of.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { useOrder } from '../../ui/use-sort.js';
import { When } from '../../ui/when.js';
import { decidedStates } from '../../app/search-values.js';

type Approval = Schema<'ApprovalView'>;
type Decided = (typeof decidedStates)[number];

interface ApprovalHistoryProps {
  state: Decided | undefined;
  onState: (state: Decided | undefined) => void;
}

const pageSize = 50;
/** As often as what waits above: a call that somebody decides goes from there to here. */
const everyMs = 3_000;
const states = decidedStates.map((value) => ({ value, label: own(uiTexts.outcomes, value) ?? value }));

/** What was decided, and by whom. */
export function ApprovalHistory({ state, onState }: ApprovalHistoryProps): ReactNode {
  const projectId = useProjectId();
  const order = useOrder('when');
  const list = useCursorList(
    ['approvals', 'decided', state, order],
    (cursor, signal) =>
      answer(api.GET('/api/v1/approvals', { params: { query: { state, order, limit: pageSize, cursor } }, signal })),
    { refetchInterval: everyMs },
  );
  const columns = useColumns(list.rows);
  return (
    <>
      <FilterBar filtered={state !== undefined} onClear={() => onState(undefined)}>
        <FilterSelect
          label={approvalTexts.filters.state}
          any={approvalTexts.filters.any}
          value={state}
          options={states}
          onChange={onState}
        />
      </FilterBar>
      <DataTable
        label={approvalTexts.history}
        columns={columns}
        list={{ ...list, rows: list.rows.filter((row) => row.state !== 'pending') }}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({ to: '/p/$projectId/approvals/$approvalId', params: { projectId, approvalId: id } })}
        empty={<EmptyState icon={History} {...approvalTexts.emptyHistory} />}
      />
    </>
  );
}

function useColumns(rows: readonly Approval[]): Column<Approval>[] {
  const nameOf = usePrincipalName(rows.flatMap(({ decided_by: by }) => by ?? []));
  const texts = approvalTexts.columns;
  return [
    { id: 'call', label: texts.call, width: 'minmax(0, 2fr)', cell: ({ tool }) => <code>{tool}</code> },
    { id: 'agent', label: texts.agent, cell: ({ agent_id }) => <AgentName id={agent_id} /> },
    { id: 'state', label: texts.state, width: '130px', cell: (row) => <StatusBadge status={row.state} /> },
    {
      id: 'by',
      label: texts.by,
      cell: ({ decided_by: by }) => by && (by === 'clock' ? approvalTexts.clock : nameOf(by)),
      hideOnPhone: true,
    },
    {
      id: 'when',
      label: texts.when,
      ordered: true,
      width: '110px',
      cell: (row) => <When at={row.created_at} relative />,
    },
  ];
}
