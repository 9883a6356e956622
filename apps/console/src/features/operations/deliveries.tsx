import { Group } from '@mantine/core';
import { MailCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { answer, api, type Schema } from '../../api/client.js';
import { useLiveRefresh } from '../../api/event-stream.js';
import { useCursorList, useProjectId } from '../../api/project-query.js';
import { useChange } from '../../api/use-change.js';
import { deliveryStates } from '../../app/search-values.js';
import { operationsTexts } from '../../texts/operations.js';
import { uiTexts } from '../../texts/ui.js';
import { ActionButton, ConfirmAction } from '../../ui/action-button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { useReason } from '../../ui/editable.js';
import { FilterBar, FilterSelect } from '../../ui/filter-bar.js';
import { AppName, NameOver } from '../../ui/name-of.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { When } from '../../ui/when.js';
import { AppFilter, useOperationsSearch } from './filters.js';

type Delivery = Schema<'DeliveryView'>;
const texts = operationsTexts.deliveries;
const pageSize = 50;
const states = deliveryStates.map((value) => ({ value, label: texts.states[value] }));

/** Replies that were not delivered, or may not have been. */
export function Deliveries(): ReactNode {
  const { search, change, clear } = useOperationsSearch();
  const { delivery: state = 'dead', app } = search;
  const projectId = useProjectId();
  const reason = useReason('deliveries:write');
  const list = useCursorList(['deliveries', 'list', state, app], (cursor, signal) =>
    answer(
      api.GET('/api/v1/deliveries', { params: { query: { state, app_id: app, limit: pageSize, cursor } }, signal }),
    ),
  );
  useLiveRefresh('deliveries');
  const redrive = useChange(
    (id: string) => answer(api.POST('/api/v1/deliveries/{id}/redrive', { params: { path: { id } } })),
    'deliveries',
  );
  const mark = useChange(
    (id: string) => answer(api.POST('/api/v1/deliveries/{id}/mark-delivered', { params: { path: { id } } })),
    'deliveries',
  );
  return (
    <>
      <FilterBar filtered={search.delivery !== undefined || app !== undefined} onClear={clear}>
        <FilterSelect
          label={texts.state}
          any={texts.states.dead}
          value={search.delivery}
          options={states}
          onChange={(delivery) => change({ delivery })}
        />
        <AppFilter value={app} onChange={(next) => change({ app: next })} />
      </FilterBar>
      <ProblemAlert error={redrive.error ?? mark.error} />
      <DataTable
        label={operationsTexts.sections.deliveries.label}
        columns={columnsWith({ reason, redrive: (id) => redrive.mutate(id), mark: (id) => mark.mutate(id) })}
        list={list}
        rowKey={({ id }) => id}
        rowLink={({ receipt_id }) => ({
          to: '/p/$projectId/events/$eventId',
          params: { projectId, eventId: receipt_id },
        })}
        empty={<EmptyState icon={MailCheck} title={texts.empty.title(texts.states[state])} text={texts.empty.text} />}
      />
    </>
  );
}

interface Columns {
  reason: string | null;
  redrive: (id: string) => void;
  mark: (id: string) => void;
}

function columnsWith({ reason, redrive, mark }: Columns): Column<Delivery>[] {
  const { columns } = texts;
  return [
    {
      id: 'text',
      label: columns.text,
      width: 'minmax(0, 3fr)',
      cell: ({ content, error, error_detail }) => (
        <NameOver
          name={content.text}
          under={error ? `${error_detail ?? ''} (${error})` : content.target.channel_address}
        />
      ),
    },
    { id: 'app', label: columns.app, cell: ({ app_id }) => <AppName id={app_id} /> },
    { id: 'attempts', label: columns.attempts, width: '90px', cell: ({ attempts }) => attempts, hideOnPhone: true },
    { id: 'at', label: columns.at, width: '90px', cell: ({ open_since }) => <When at={open_since} relative /> },
    {
      id: 'next',
      label: columns.next,
      width: '110px',
      cell: ({ state, lease_until }) => state === 'queued' && <When at={lease_until} relative />,
    },
    {
      id: 'actions',
      label: uiTexts.actions,
      width: '230px',
      cell: ({ id, state, error }) =>
        (['dead', 'unknown', 'expired'].includes(state) || (state === 'queued' && error !== null)) && (
          <Group gap={6} wrap="nowrap">
            <ConfirmAction
              size="compact-sm"
              reason={reason}
              question={state === 'unknown' ? texts.redriveUnknown : texts.redriveDead}
              onConfirm={() => redrive(id)}
            >
              {texts.redrive}
            </ConfirmAction>
            {state === 'unknown' && (
              <ActionButton size="compact-sm" variant="default" reason={reason} onClick={() => mark(id)}>
                {texts.mark}
              </ActionButton>
            )}
          </Group>
        ),
    },
  ];
}
