import { Stack } from '@mantine/core';
import { MailCheck, SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useLiveRefresh } from '../../api/event-stream.js';
import { useCursorList, useProjectId } from '../../api/project-query.js';
import { useChange } from '../../api/use-change.js';
import { letterStages, letterStates } from '../../app/search-values.js';
import { operationsTexts } from '../../texts/operations.js';
import { uiTexts } from '../../texts/ui.js';
import { ActionButton, ConfirmAction } from '../../ui/action-button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { useReason } from '../../ui/editable.js';
import { Facts } from '../../ui/facts.js';
import { FilterBar, FilterSelect, FilterText } from '../../ui/filter-bar.js';
import { AppName, NameOver } from '../../ui/name-of.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { useOrder } from '../../ui/use-sort.js';
import { When } from '../../ui/when.js';
import { BatchProgress } from './batch-progress.js';
import { AppFilter, useOperationsSearch } from './filters.js';

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
  const redrive = useChange(redriveOne, 'dead-letters');
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
        peek={(letter) => <LetterPeek letter={letter} />}
        many={{
          nameOf: nameOfLetter,
          actions: [
            {
              label: texts.redrive,
              reason,
              isFor: (letter) => letter.state === 'open',
              change: ({ id }) => redriveOne(id),
            },
          ],
          touched: ['dead-letters'],
        }}
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

const redriveOne = (id: string) =>
  answer(api.POST('/api/v1/events/dead-letters/{id}/redrive', { params: { path: { id } } }));

const nameOfLetter = ({ redrive_error, error, reason }: Letter): string =>
  redrive_error ?? error ?? reason ?? texts.noReason;

/** All of what a row has no room for. */
function LetterPeek({ letter }: { letter: Letter }): ReactNode {
  const { reason, stage, app_id: app, drives, redrive_error: lastError, error, at } = letter;
  return (
    <Facts
      of={[
        [texts.columns.why, error ?? texts.noReason],
        [texts.reason, reason && <code>{reason}</code>],
        [texts.peek.lastError, lastError],
        [texts.columns.stage, texts.stages[stage as keyof typeof texts.stages] ?? stage],
        [texts.columns.app, <AppName key={app} id={app} />],
        [texts.columns.at, <When key={at} at={at} />],
        [texts.peek.drives, drives > 0 && String(drives)],
      ]}
    />
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

type Letter = Schema<'DeadLetterView'>;

interface LetterColumns {
  /** Why this person cannot redrive; null: they can. */
  reason: string | null;
  redrive: (id: string) => void;
}

function letterColumns({ reason, redrive }: LetterColumns): Column<Letter>[] {
  const { columns } = texts;
  return [
    {
      id: 'why',
      label: columns.why,
      width: 'minmax(0, 3fr)',
      cell: (letter) => <NameOver name={nameOfLetter(letter)} under={<code>{letter.reason}</code>} />,
    },
    {
      id: 'stage',
      label: columns.stage,
      cell: ({ stage }) => texts.stages[stage as keyof typeof texts.stages] ?? stage,
    },
    { id: 'app', label: columns.app, cell: ({ app_id }) => <AppName id={app_id} />, hideOnPhone: true },
    {
      id: 'state',
      label: columns.state,
      width: '150px',
      cell: ({ state, outcome }) =>
        state === 'open' ? (
          <StatusBadge status={texts.states.open} tone="bad" />
        ) : (
          <StatusBadge status={outcome ?? state} />
        ),
    },
    { id: 'at', label: columns.at, ordered: true, width: '100px', cell: ({ at }) => <When at={at} relative /> },
    {
      id: 'redrive',
      label: uiTexts.actions,
      width: '100px',
      cell: ({ id, state }) =>
        state === 'open' && (
          <ActionButton size="compact-sm" variant="default" reason={reason} onClick={() => redrive(id)}>
            {texts.redrive}
          </ActionButton>
        ),
    },
  ];
}
