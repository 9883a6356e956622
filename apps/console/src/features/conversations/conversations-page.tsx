import { Badge, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { MessagesSquare, SearchX } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { useApps } from '../../api/choices.js';
import { answer, api, type Schema } from '../../api/client.js';
import { useLiveRefresh } from '../../api/event-stream.js';
import { useContactNames, usePrincipalName } from '../../api/principals.js';
import { useChange } from '../../api/use-change.js';
import { type CursorList, useCursorList, useProjectId } from '../../api/project-query.js';
import { inboxes, sessionStatuses } from '../../app/search-values.js';
import { conversationTexts } from '../../texts/conversations.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { FilterBar, FilterSelect, FilterText } from '../../ui/filter-bar.js';
import { LiveDot } from '../../ui/live-dot.js';
import { AgentName, AppName, NameOver } from '../../ui/name-of.js';
import { MessageState } from '../../ui/message-state.js';
import { EmptyState, ProblemAlert } from '../../ui/notices.js';
import { Page } from '../../ui/page.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { filterOf } from '../../ui/use-sort.js';
import { When } from '../../ui/when.js';
import { ListKeys } from './list-keys.js';
import type { ConversationSearch } from './routes.js';
import classes from './conversations-page.module.css';
import { othersMs, topicOf } from './use-conversation.js';
import { useManyActions } from './many-actions.js';

const ConversationPeek = lazy(() => import('./conversation-peek.js'));
const SavedViews = lazy(() => import('../../ui/saved-views.js'));

const route = getRouteApi('/p/$projectId/conversations');
const texts = conversationTexts.filters;
const pageSize = 30;
const inboxOptions = inboxes.map((value) => ({ value, label: conversationTexts.inboxes[value] }));
const statuses = sessionStatuses.map((value) => ({ value, label: conversationTexts.statuses[value] }));

export function ConversationsPage(): ReactNode {
  const filter = filterOf(route.useSearch());
  const navigate = useNavigate({ from: '/p/$projectId/conversations' });
  const { data: apps = [] } = useApps();
  const change = (patch: Partial<ConversationSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...patch }), replace: true });
  const list = useCursorList(
    ['conversations', 'list', filter],
    (cursor, signal) => {
      const { inbox, status, app, contact, text: search } = filter;
      const sort = 'last_message' as const;
      const query = { inbox, status, app_id: app, contact_id: contact, search, sort, limit: pageSize, cursor };
      return answer(api.GET('/api/v1/sessions', { params: { query }, signal }));
    },
    { refetchInterval: othersMs },
  );
  const stream = useLiveRefresh('conversations');
  const resolve = useChange(
    (id: string) => answer(api.POST('/api/v1/sessions/{id}/resolve', { params: { path: { id } } })),
    'conversations',
  );
  const onDone = (index: number): void => {
    const session = list.rows[index];
    if (!session || resolve.isPending) return;
    resolve.mutate(session.id, { onSuccess: () => notifications.show({ message: conversationTexts.keys.resolved }) });
  };
  const filtered = Object.keys(filter).length > 0;
  return (
    <Page
      title={conversationTexts.title}
      description={conversationTexts.description}
      mark={<LiveDot state={stream} />}
      actions={
        <>
          <Suspense>
            <SavedViews list="conversations" search={filter} />
          </Suspense>
          <ListKeys onDone={onDone} />
        </>
      }
    >
      <ProblemAlert error={resolve.error} />
      <FilterBar filtered={filtered} onClear={() => void navigate({ search: {} })}>
        <FilterText label={texts.text} value={filter.text} onChange={(text) => change({ text })} />
        <FilterSelect
          label={texts.inbox}
          any={texts.anyInbox}
          value={filter.inbox}
          options={inboxOptions}
          onChange={(inbox) => change({ inbox })}
        />
        <FilterSelect
          label={texts.status}
          any={texts.anyStatus}
          value={filter.status}
          options={statuses}
          onChange={(status) => change({ status })}
        />
        <FilterSelect
          label={texts.app}
          any={texts.anyApp}
          value={filter.app}
          options={apps.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(app) => change({ app })}
        />
      </FilterBar>
      <ConversationTable list={list} filtered={filtered} />
    </Page>
  );
}

type Session = Schema<'ListedSessionView'>;

interface ConversationTableProps {
  list: CursorList<Session>;
  filtered: boolean;
}

function ConversationTable({ list, filtered }: ConversationTableProps): ReactNode {
  const projectId = useProjectId();
  const contactName = useContactNames(list.rows.map(({ contact_id }) => contact_id));
  return (
    <DataTable
      label={conversationTexts.title}
      columns={columnsWith(contactName, usePrincipalName())}
      list={list}
      rowKey={({ id }) => id}
      rowLink={({ id }) => ({ to: '/p/$projectId/conversations/$sessionId', params: { projectId, sessionId: id } })}
      peek={({ id }) => (
        <Suspense>
          <ConversationPeek key={id} sessionId={id} />
        </Suspense>
      )}
      many={{
        nameOf: (session) => contactName(session.contact_id) ?? topicOf(session),
        actions: useManyActions(),
        touched: ['conversations'],
      }}
      empty={
        filtered ? (
          <EmptyState icon={SearchX} {...conversationTexts.emptyFiltered} />
        ) : (
          <EmptyState icon={MessagesSquare} {...conversationTexts.empty} />
        )
      }
    />
  );
}

function columnsWith(
  contactName: (id: string | null) => string | undefined,
  nameOf: (subject: string) => string,
): Column<Session>[] {
  const { columns } = conversationTexts;
  return [
    {
      id: 'with',
      label: columns.with,
      width: 'minmax(0, 3fr)',
      cell: (session) => (
        <NameOver
          name={<Name session={session} name={contactName(session.contact_id) ?? topicOf(session)} />}
          // A zero-width space keeps the height of the row.
          under={session.last_text ?? '\u200b'}
        />
      ),
    },
    { id: 'app', label: columns.app, cell: ({ app_id }) => <AppName id={app_id} /> },
    { id: 'agent', label: columns.agent, cell: ({ agent_id }) => <AgentName id={agent_id} />, hideOnPhone: true },
    {
      id: 'assigned',
      label: columns.assigned,
      cell: ({ assigned_to: to }) => to && nameOf(to),
      hideOnPhone: true,
    },
    {
      id: 'status',
      label: columns.status,
      width: '190px',
      cell: ({ status, result, waiting, waits_for_me: waitsForMe }) => (
        <Group gap={6}>
          {status === 'active' && result ? (
            <MessageState state={result.state} why={result.text} />
          ) : (
            <StatusBadge status={status} />
          )}
          {waitsForMe && <StatusBadge status={conversationTexts.waitsForMe} tone="warn" />}
          {waiting > 0 && (
            <Badge color="yellow" variant="outline" tt="none" radius="sm" fw={500} autoContrast c="inherit">
              {conversationTexts.waiting(waiting)}
            </Badge>
          )}
        </Group>
      ),
    },
    {
      id: 'updated',
      label: columns.updated,
      width: '110px',
      cell: ({ last_message_at }) => <When at={last_message_at} relative />,
    },
  ];
}

/** One that the reader has not read is bold, with a dot. */
function Name({ session: { unread }, name }: { session: Session; name: string }): ReactNode {
  if (!unread) return name;
  return (
    <strong>
      <span className={classes.unread} role="img" aria-label={conversationTexts.unread} /> {name}
    </strong>
  );
}
