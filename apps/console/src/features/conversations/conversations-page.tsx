import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApps } from '../../api/apps.js';
import { answer, api } from '../../api/client.js';
import { useCursorList } from '../../api/project-query.js';
import { useLiveRefresh } from '../../api/use-live-refresh.js';
import { conversationTexts } from '../../texts/conversations.js';
import { FilterBar, FilterSelect } from '../../ui/filter-bar.js';
import { LiveDot } from '../../ui/live-dot.js';
import { Page } from '../../ui/page.js';
import { filterOf } from '../../ui/use-sort.js';
import { type ConversationSearch, sessionStatuses } from './conversation-search.js';
import { ConversationTable } from './conversation-table.js';
import { othersMs } from './use-conversation.js';

const route = getRouteApi('/p/$projectId/conversations');
const texts = conversationTexts.filters;
const pageSize = 30;
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
      const { status, app, contact } = filter;
      const query = { status, app_id: app, contact_id: contact, limit: pageSize, cursor };
      return answer(api.GET('/api/v1/sessions', { params: { query }, signal }));
    },
    { refetchInterval: othersMs },
  );
  const stream = useLiveRefresh('conversations');
  const filtered = Object.keys(filter).length > 0;
  return (
    <Page title={conversationTexts.title} description={conversationTexts.description} mark={<LiveDot state={stream} />}>
      <FilterBar filtered={filtered} onClear={() => void navigate({ search: {} })}>
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
