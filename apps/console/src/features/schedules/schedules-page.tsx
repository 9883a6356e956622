import { useNavigate } from '@tanstack/react-router';
import { CalendarClock, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useProjectId, useProjectQuery } from '../../api/project-query.js';
import { scheduleTexts } from '../../texts/schedules.js';
import { ActionButton } from '../../ui/action-button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { useReason } from '../../ui/editable.js';
import { AgentName, Unread } from '../../ui/name-of.js';
import { EmptyState } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { When } from '../../ui/when.js';

type Schedule = Schema<'ScheduleView'>;
const texts = scheduleTexts.columns;
const everyMs = 30_000;

export function SchedulesPage(): ReactNode {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const reason = useReason('workflows:write');
  const columns = useColumns();
  const list = useProjectQuery(
    ['schedules', 'all'],
    async (signal) => (await answer(api.GET('/api/v1/schedules', { signal }))).data,
    { refetchInterval: everyMs },
  );
  const newButton = (
    <ActionButton
      leftSection={<Plus size={15} aria-hidden />}
      reason={reason}
      onClick={() => void navigate({ to: '/p/$projectId/schedules/new', params: { projectId } })}
    >
      {scheduleTexts.create}
    </ActionButton>
  );
  return (
    <Page title={scheduleTexts.title} description={scheduleTexts.description} actions={newButton}>
      <DataTable
        label={scheduleTexts.title}
        columns={columns}
        list={{ rows: list.data ?? [], loading: list.isPending, error: list.error, refresh: () => void list.refetch() }}
        rowKey={({ id }) => id}
        rowLink={({ id }) => ({ to: '/p/$projectId/schedules/$scheduleId', params: { projectId, scheduleId: id } })}
        empty={<EmptyState icon={CalendarClock} {...scheduleTexts.empty} action={newButton} />}
      />
    </Page>
  );
}

function useColumns(): Column<Schedule>[] {
  const workflows = useProjectQuery(
    ['workflows', 'all'],
    async (signal) => (await answer(api.GET('/api/v1/workflows', { signal }))).data,
  );
  const workflowOf = (id: number): ReactNode =>
    workflows.isPending ? <Unread /> : (workflows.data?.find((row) => row.id === id)?.name ?? id);
  return [
    { id: 'name', label: texts.name, value: ({ name }) => name, width: 'minmax(0, 2fr)', cell: ({ name }) => name },
    {
      id: 'starts',
      label: texts.starts,
      cell: ({ workflow_id, agent_id }) =>
        workflow_id === null ? <AgentName id={agent_id} /> : workflowOf(workflow_id),
      hideOnPhone: true,
    },
    {
      id: 'cron',
      label: texts.cron,
      cell: ({ cron, time_zone }) => (
        <>
          <code>{cron}</code> {time_zone}
        </>
      ),
      hideOnPhone: true,
    },
    {
      id: 'next',
      label: texts.next,
      value: ({ next }) => next[0] ?? '',
      width: '120px',
      cell: ({ next: [first] }) => first && <When at={first} relative />,
    },
    {
      id: 'status',
      label: texts.status,
      width: '90px',
      cell: ({ active }) => <StatusBadge status={active ? 'active' : 'off'} />,
    },
  ];
}
