import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Activity, SearchX } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { type CursorList, useProjectId } from '../../../api/project-query.js';
import type { Schema } from '../../../api/client.js';
import { eventTexts } from '../../../texts/events.js';
import { type Column, DataTable } from '../../../ui/data-table.js';
import { EmptyState } from '../../../ui/notices.js';
import { MessageState, reasonInRow } from '../../../ui/message-state.js';
import { AppName, NameOver, PrincipalName } from '../../../ui/name-of.js';
import { When } from '../../../ui/when.js';

const EventPeek = lazy(() => import('./event-peek.js'));

type EventView = Schema<'EventView'>;

interface EventTableProps {
  list: Pick<CursorList<EventView>, 'rows' | 'loading' | 'error'> & Partial<CursorList<EventView>>;
  filtered: boolean;
}

export function EventTable({ list, filtered }: EventTableProps): ReactNode {
  const projectId = useProjectId();
  return (
    <DataTable
      label={eventTexts.title}
      columns={columns}
      list={list}
      rowKey={({ id }) => id}
      rowLink={({ id }) => ({ to: '/p/$projectId/events/$eventId', params: { projectId, eventId: id } })}
      peek={({ id }) => (
        <Suspense>
          <EventPeek key={id} id={id} />
        </Suspense>
      )}
      empty={filtered ? <NothingMatches /> : <NothingYet projectId={projectId} />}
    />
  );
}

const texts = eventTexts.columns;
const columns: Column<EventView>[] = [
  {
    id: 'text',
    label: texts.text,
    width: 'minmax(0, 3fr)',
    cell: (event) => {
      const reason = reasonInRow(event);
      return reason === null ? (
        <MessageText {...event} />
      ) : (
        <NameOver name={<MessageText {...event} />} under={reason} />
      );
    },
  },
  {
    id: 'type',
    label: texts.type,
    width: 'minmax(0, 1.4fr)',
    cell: ({ event_type }) => event_type,
    hideOnPhone: true,
  },
  {
    id: 'sender',
    label: texts.sender,
    width: 'minmax(0, 1.1fr)',
    cell: ({ app_id, sender }) =>
      sender && /^(api|callers):/.test(app_id) ? <PrincipalName subject={sender} /> : sender,
    hideOnPhone: true,
  },
  {
    id: 'app',
    label: texts.app,
    cell: ({ app_id }) => sourceOf(app_id),
  },
  {
    id: 'outcome',
    label: texts.outcome,
    width: '150px',
    cell: ({ state, why }) => <MessageState state={state} why={why} />,
  },
  {
    id: 'received',
    label: texts.received,
    ordered: true,
    width: '110px',
    cell: ({ received_at }) => <When at={received_at} relative />,
  },
];

function MessageText({ text }: Pick<EventView, 'text'>): ReactNode {
  // A text is bounded as a child of an element, not as what a component returns.
  if (text !== null) return <>{text}</>;
  return (
    <Text span c="dimmed" inherit>
      {eventTexts.noText}
    </Text>
  );
}

function NothingMatches(): ReactNode {
  return <EmptyState icon={SearchX} {...eventTexts.emptyFiltered} />;
}

function NothingYet({ projectId }: { projectId: string }): ReactNode {
  const { title, text, action } = eventTexts.empty;
  return (
    <EmptyState
      icon={Activity}
      title={title}
      text={text}
      action={
        <Button renderRoot={(props) => <Link {...props} to="/p/$projectId" params={{ projectId }} />}>{action}</Button>
      }
    />
  );
}

function sourceOf(appId: string): ReactNode {
  if (appId.startsWith('api:')) return eventTexts.byApi;
  return appId.startsWith('schedule:') ? eventTexts.bySchedule : <AppName id={appId} />;
}
