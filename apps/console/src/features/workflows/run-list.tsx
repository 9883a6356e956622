import { Badge, Group } from '@mantine/core';
import { ListTree, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useCursorList, useProjectId } from '../../api/project-query.js';
import { own } from '../../own.js';
import { uiTexts } from '../../texts/ui.js';
import { workflowTexts } from '../../texts/workflows.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { EmptyState } from '../../ui/notices.js';
import { FilterBar, FilterSelect } from '../../ui/filter-bar.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { useOrder } from '../../ui/use-sort.js';
import { When } from '../../ui/when.js';
import { runStates } from '../../app/search-values.js';

type State = (typeof runStates)[number];
type Run = Schema<'RunView'>;

interface RunListProps {
  workflowId: number;
  state: State | undefined;
  onState: (state: State | undefined) => void;
}

const pageSize = 50;
const everyMs = 4_000;
const texts = workflowTexts.runs;
const states = runStates.map((value) => ({ value, label: own(uiTexts.outcomes, value) ?? value }));

/** The runs of a workflow. */
export function RunList({ workflowId, state, onState }: RunListProps): ReactNode {
  const projectId = useProjectId();
  const order = useOrder('started');
  const list = useCursorList(
    ['runs', workflowId, state, order],
    (cursor, signal) => {
      const query = { workflow_id: workflowId, state, order, limit: pageSize, cursor };
      return answer(api.GET('/api/v1/runs', { params: { query }, signal }));
    },
    { refetchInterval: everyMs },
  );
  return (
    <>
      <FilterBar filtered={state !== undefined} onClear={() => onState(undefined)}>
        <FilterSelect label={texts.state} any={texts.anyState} value={state} options={states} onChange={onState} />
      </FilterBar>
      <DataTable
        label={workflowTexts.tabs.runs}
        columns={columns}
        list={list}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({ to: '/p/$projectId/runs/$runId', params: { projectId, runId: id } })}
        empty={
          state ? (
            <EmptyState icon={SearchX} {...texts.emptyFiltered} />
          ) : (
            <EmptyState icon={ListTree} {...texts.empty} />
          )
        }
      />
    </>
  );
}

const columns: Column<Run>[] = [
  {
    id: 'run',
    label: texts.columns.run,
    width: 'minmax(0, 2fr)',
    cell: (run) => (
      <Group gap={8} wrap="nowrap" component="span">
        <code>{`…${run.id.slice(-10)}`}</code>
        {run.rehearsal || run.replay ? <Mark>{run.rehearsal ? texts.rehearsal : texts.replay}</Mark> : null}
        <span>{run.reason ?? run.error ?? (run.trigger_id ? texts.byTrigger : texts.byHand)}</span>
      </Group>
    ),
  },
  { id: 'state', label: texts.columns.state, width: '160px', cell: ({ state }) => <StatusBadge status={state} /> },
  {
    id: 'reply',
    label: texts.columns.reply,
    width: '90px',
    cell: ({ reply }) => reply && texts.replies[reply],
    hideOnPhone: true,
  },
  {
    id: 'took',
    label: texts.columns.took,
    width: '90px',
    cell: ({ created_at, finished_at }) => finished_at && took(created_at, finished_at),
    hideOnPhone: true,
  },
  {
    id: 'started',
    label: texts.columns.started,
    ordered: true,
    width: '110px',
    cell: ({ created_at }) => <When at={created_at} relative />,
  },
];

function Mark({ children }: { children: ReactNode }): ReactNode {
  return (
    <Badge component="span" variant="default" radius="sm" tt="none" fw={500} style={{ flexShrink: 0 }}>
      {children}
    </Badge>
  );
}

function took(from: string, to: string): string {
  const seconds = (Date.parse(to) - Date.parse(from)) / 1_000;
  return seconds < 90 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`;
}
