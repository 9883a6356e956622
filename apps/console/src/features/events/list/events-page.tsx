import { Switch } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { answer, api } from '../../../api/client.js';
import { useCursorList } from '../../../api/project-query.js';
import { eventTexts } from '../../../texts/events.js';
import { LiveDot } from '../../../ui/live-dot.js';
import { Page } from '../../../ui/page.js';
import { EventFilters } from './event-filters.js';
import { eventQuery, type EventSearch } from './event-search.js';
import { EventTable } from './event-table.js';
import { useLiveEvents } from '../../../api/use-live-events.js';

const route = getRouteApi('/p/$projectId/events');
const pageSize = 50;

export function EventsPage(): ReactNode {
  const { live, ...filter } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/events' });
  const change = (patch: Partial<EventSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...patch }), replace: true });
  const list = useCursorList(['events', filter], (cursor, signal) =>
    answer(
      api.GET('/api/v1/events', { params: { query: { ...eventQuery(filter), limit: pageSize, cursor } }, signal }),
    ),
  );
  const stream = useLiveEvents({ appId: filter.app, enabled: live === true });
  const filtered = Object.keys(filter).length > 0;
  return (
    <Page title={eventTexts.title} description={eventTexts.description} mark={live && <LiveDot state={stream} />}>
      <EventFilters
        filter={filter}
        filtered={filtered}
        onChange={change}
        onClear={() => void navigate({ search: live ? { live } : {} })}
        end={
          <Switch
            label={eventTexts.live}
            checked={live === true}
            onChange={(event) => change({ live: event.currentTarget.checked || undefined })}
          />
        }
      />
      <EventTable list={list} filtered={filtered} />
    </Page>
  );
}
