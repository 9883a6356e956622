import { Stack } from '@mantine/core';
import { MailCheck, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api } from '../../api/client.js';
import type { Schema } from '../../api/named-schema.js';
import { useCursorList, useProjectId } from '../../api/project-query.js';
import { useChange } from '../../api/use-change.js';
import { useLiveRefresh } from '../../api/use-live-refresh.js';
import { operationsTexts } from '../../texts/operations.js';
import { ConfirmAction } from '../../ui/confirm-action.js';
import { DataTable } from '../../ui/data-table.js';
import { useReason } from '../../ui/editable.js';
import { EmptyState } from '../../ui/empty-state.js';
import { FilterBar, FilterSelect, FilterText } from '../../ui/filter-bar.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { useOrder } from '../../ui/use-sort.js';
import { AppFilter } from './app-filter.js';
import { BatchProgress } from './batch-progress.js';
import { letterColumns } from './letter-columns.js';
import { letterStages, letterStates } from './operations-search.js';
import { useOperationsSearch } from './use-operations-search.js';

const texts = operationsTexts.letters;
const pageSize = 50;

/** What could not be processed, why, and how to redrive it: one by one, or all that match a filter. */
export function DeadLetters(): ReactNode {
  const { search, change, clear } = useOperationsSearch();
  const projectId = useProjectId();
  const reason = useReason('events:write');
  const { app, stage, state = 'open', reason: why, batch } = search;
  const filter = { app_id: app, stage, reason: why };
  const order = useOrder('at');
  const list = useCursorList(['dead-letters', filter, state, order], (cursor, signal) =>
    answer(
      api.GET('/api/v1/events/dead-letters', {
        params: { query: { ...filter, state, order, limit: pageSize, cursor } },
        signal,
      }),
    ),
  );
  useLiveRefresh('dead-letters');
  const redrive = useChange(
    (id: string) => answer(api.POST('/api/v1/events/dead-letters/{id}/redrive', { params: { path: { id } } })),
    'dead-letters',
  );
  const filtered = [app, stage, why, search.state].some((value) => value !== undefined);
  return (
    <Stack gap="sm">
      {batch && <BatchProgress id={batch} onClose={() => change({ batch: undefined })} />}
      <FilterBar
        filtered={filtered}
        onClear={clear}
        end={
          state === 'open' && (
            <RedriveAll
              filter={filter}
              reason={reason ?? (list.rows.length === 0 ? texts.nothingToRedrive : null)}
              onBegun={(id) => change({ batch: id })}
            />
          )
        }
      >
        <FilterSelect
          label={texts.state}
          any={texts.states.open}
          value={search.state}
          options={letterStates.map((value) => ({ value, label: texts.states[value] }))}
          onChange={(next) => change({ state: next })}
        />
        <FilterSelect
          label={texts.stage}
          any={texts.anyStage}
          value={stage}
          options={letterStages.map((value) => ({ value, label: texts.stages[value] }))}
          onChange={(next) => change({ stage: next })}
        />
        <AppFilter value={app} onChange={(next) => change({ app: next })} />
        <FilterText label={texts.reason} value={why} onChange={(next) => change({ reason: next })} />
      </FilterBar>
      <ProblemAlert error={redrive.error} />
      <DataTable
        label={operationsTexts.sections['dead-letters'].label}
        columns={letterColumns({ reason, redrive: (id) => redrive.mutate(id) })}
        list={list}
        rowKey={({ id }) => id}
        rowLink={({ receipt_id }) => ({
          to: '/p/$projectId/events/$eventId',
          params: { projectId, eventId: receipt_id },
        })}
        empty={
          filtered ? (
            <EmptyState icon={SearchX} {...texts.emptyFiltered} />
          ) : (
            <EmptyState icon={MailCheck} {...texts.empty} />
          )
        }
      />
    </Stack>
  );
}

interface RedriveAllProps {
  filter: Pick<Schema<'RedriveMany'>, 'app_id' | 'stage' | 'reason'>;
  reason: string | null;
  onBegun: (batch: string) => void;
}

/** Redrives all that match the filter, including those not loaded yet. */
function RedriveAll({ filter, reason, onBegun }: RedriveAllProps): ReactNode {
  const redrive = useChange(
    () => answer(api.POST('/api/v1/events/dead-letters/redrive', { body: filter })),
    'dead-letters',
  );
  return (
    <>
      <ConfirmAction
        reason={reason}
        loading={redrive.isPending}
        question={texts.redriveAllQuestion}
        onConfirm={() => redrive.mutate(undefined, { onSuccess: ({ id }) => onBegun(id) })}
      >
        {texts.redriveAll}
      </ConfirmAction>
      <ProblemAlert error={redrive.error} />
    </>
  );
}
