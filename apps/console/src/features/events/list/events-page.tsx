import { Button, Group, SegmentedControl } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { ArrowUp, Pause, Play, X } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { eventTexts } from '../../../texts/events.js';
import { uiTexts } from '../../../texts/ui.js';
import { LiveDot } from '../../../ui/live-dot.js';
import { Page } from '../../../ui/page.js';
import { filterOf, useOrder } from '../../../ui/use-sort.js';
import { EventFilters } from './event-filters.js';
import type { EventSearch } from './event-search.js';
import { EventTable } from './event-table.js';
import { RefusedRequests } from './refused-requests.js';
import { useLiveList } from './use-live-list.js';
import classes from './new-events.module.css';

const SavedViews = lazy(() => import('../../../ui/saved-views.js'));

const route = getRouteApi('/p/$projectId/events');

export function EventsPage(): ReactNode {
  const { view, ...search } = route.useSearch();
  const navigate = useNavigate({ from: '/p/$projectId/events' });
  return (
    <Page
      title={eventTexts.title}
      description={view === 'refused' ? eventTexts.refused.description : eventTexts.description}
      actions={
        <>
          {view !== 'refused' && (
            <Suspense>
              <SavedViews list="events" search={filterOf({ ...search, paused: undefined })} />
            </Suspense>
          )}
          <SegmentedControl
            aria-label={eventTexts.views.label}
            value={view ?? 'events'}
            data={[
              { value: 'events', label: eventTexts.views.events },
              { value: 'refused', label: eventTexts.views.refused },
            ]}
            onChange={(next) =>
              void navigate({ search: { view: next === 'refused' ? next : undefined, app: search.app } })
            }
          />
        </>
      }
    >
      {view === 'refused' ? <RefusedRequests appId={search.app} /> : <EventList search={search} />}
    </Page>
  );
}

function EventList({ search }: { search: EventSearch }): ReactNode {
  const { paused, ...filter } = filterOf(search);
  const order = useOrder('received');
  const navigate = useNavigate({ from: '/p/$projectId/events' });
  const change = (patch: Partial<EventSearch>): void =>
    void navigate({ search: (before) => ({ ...before, ...patch }), replace: true });
  const scrolled = useScrolledDown();
  const { list, stream, waiting, show } = useLiveList(filter, order, paused === true || scrolled);
  const filtered = Object.keys(filter).length > 0;
  return (
    <>
      <EventFilters filter={filter} onChange={change} />
      <NewEvents
        count={waiting}
        onShow={() => {
          window.scrollTo({ top: 0 });
          show();
        }}
      >
        <LiveDot state={paused ? 'off' : stream} />
        <Button
          variant="subtle"
          color="gray"
          size="compact-sm"
          leftSection={paused ? <Play size={13} aria-hidden /> : <Pause size={13} aria-hidden />}
          onClick={() => change({ paused: paused ? undefined : true })}
        >
          {paused ? eventTexts.resume : eventTexts.pause}
        </Button>
        {filtered && (
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            leftSection={<X size={13} aria-hidden />}
            onClick={() => void navigate({ search: paused ? { paused } : {} })}
          >
            {uiTexts.clearFilters}
          </Button>
        )}
      </NewEvents>
      <EventTable list={list} filtered={filtered} />
    </>
  );
}

/** Once scrolled down, a new row on top would move what is being read. */
const heldFrom = 120;

function useScrolledDown(): boolean {
  const [down, setDown] = useState(false);
  useEffect(() => {
    const look = (): void => setDown(window.scrollY > heldFrom);
    window.addEventListener('scroll', look, { passive: true });
    // Going back may have scrolled already. Asked at once, the page would be laid out twice.
    const frame = requestAnimationFrame(look);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', look);
    };
  }, []);
  return down;
}

interface NewEventsProps {
  /** New events that are not shown yet. */
  count: number;
  onShow: () => void;
  children: ReactNode;
}

/** Whether the list follows new events, and how many arrived while it does not. It stays in sight while scrolling. */
function NewEvents({ count, onShow, children }: NewEventsProps): ReactNode {
  return (
    <Group className={classes.bar} justify="space-between" mih={36}>
      <Group gap="xs">{children}</Group>
      <div aria-live="polite" className={classes.floating}>
        {count > 0 && (
          <Button size="compact-md" radius="xl" leftSection={<ArrowUp size={14} aria-hidden />} onClick={onShow}>
            {eventTexts.waiting(count)}
          </Button>
        )}
      </div>
    </Group>
  );
}
