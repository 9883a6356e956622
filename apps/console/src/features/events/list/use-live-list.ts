import { useThrottledCallback } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { asOf, askLaterMs } from '../../../api/lag.js';
import { type StreamState, useEventStream } from '../../../api/event-stream.js';
import { type CursorList, type Page, projectKey, useCursorList, useProjectId } from '../../../api/project-query.js';
import type { Schema } from '../../../api/client.js';
import { askEvents, type EventListFilter, eventListKey } from './event-search.js';

type EventView = Schema<'EventView'>;

/** The list is refetched at most this often. */
const everyMs = 1_000;

export interface LiveList {
  list: CursorList<EventView>;
  stream: StreamState;
  /** Events that arrived since the list is held. */
  waiting: number;
  /** Shows them. */
  show: () => void;
}

/**
 * A list of events. New ones are added on top as they arrive, and events change as they progress. Only the first page
 * is refetched, however long the list has grown.
 * A list that starts from its oldest end is not updated: new events are at its other end.
 * @param held new events wait, so that nothing moves under the reader
 */
export function useLiveList(filter: EventListFilter, order: 'desc' | 'asc', held: boolean): LiveList {
  const queryClient = useQueryClient();
  const projectId = useProjectId();
  const follows = order === 'desc';
  const key = eventListKey(filter, order);
  const name = JSON.stringify([projectId, filter, order]);
  const ask = askEvents(filter, order);
  const base = useCursorList(key, ask);
  const [live, setLive] = useState<Live>({ ...nothing, name });
  const { rows: newer, gone } = live.name === name ? live : nothing;
  const rows = useMemo(
    () => (follows ? merged(newer, base.rows).filter(({ id }) => !gone.has(id)) : base.rows),
    [follows, newer, gone, base.rows],
  );
  const [shownUntil, setShownUntil] = useState<string | null>(null);
  const newest = rows[0]?.received_at ?? null;
  useEffect(() => setShownUntil(held && follows ? newest : null), [held, name]);

  const asked = useRef(0);
  const answered = useRef(0);
  const later = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(later.current), [name]);
  const load = async (last: boolean): Promise<void> => {
    const turn = (asked.current += 1);
    const page = await ask(undefined).catch(() => null);
    // An older answer that comes late would show events as they were.
    if (!page || turn < answered.current) return;
    answered.current = turn;
    // What was announced may be missing in an answer of a replica.
    const waitMs = last ? null : askLaterMs(page);
    clearTimeout(later.current);
    if (waitMs !== null) later.current = setTimeout(() => void load(true), waitMs);
    const known = new Set(rows.map(({ id }) => id));
    // More arrived than fit on a page: the events in between would be missing.
    const gap = page.next_cursor !== null && known.size > 0 && !page.data.some(({ id }) => known.has(id));
    if (gap) await queryClient.resetQueries({ queryKey: projectKey(projectId, key) });
    setLive((shown) => {
      const before = shown.name === name && !gap ? shown : nothing;
      const asOfNow = asOf(page, Date.now());
      return {
        name,
        rows: gap ? [] : merged(page.data, before.rows),
        gone: goneFrom(page, known, before.gone),
        asOf: asOfNow,
      };
    });
  };
  const refresh = useThrottledCallback(() => load(false), everyMs);
  const stream = useEventStream({
    path: `/api/v1/events/stream${filter.app ? `?app_id=${encodeURIComponent(filter.app)}` : ''}`,
    enabled: follows && filter.until === undefined,
    onMessage: refresh,
  });
  const shown = shownUntil === null ? rows : rows.filter(({ received_at }) => received_at <= shownUntil);
  return {
    list: { ...base, rows: shown, asOf: live.name === name && live.asOf !== undefined ? live.asOf : base.asOf },
    stream,
    waiting: rows.length - shown.length,
    show: () => setShownUntil(held ? newest : null),
  };
}

interface Live {
  name: string;
  /** Newest first. */
  rows: EventView[];
  /** Events that no longer match the filter, such as one that was open and has ended. */
  gone: ReadonlySet<string>;
  /** Of the newest answer; absent: there was none yet. */
  asOf?: string | null;
}

const nothing: Live = { name: '', rows: [], gone: new Set() };

/** The known events that should be on the first page, and are not any more. Ids are ordered by time. */
function goneFrom(page: Page<EventView>, known: Iterable<string>, before: ReadonlySet<string>): ReadonlySet<string> {
  const there = new Set(page.data.map(({ id }) => id));
  const whole = page.next_cursor === null;
  // An event that is newer than the page may have come after it was read.
  const newest = page.data[0]?.id ?? (whole ? '~' : '');
  const oldest = whole ? '' : (page.data.at(-1)?.id ?? '~');
  const missing = [...known].filter((id) => id >= oldest && id <= newest);
  return new Set([...before, ...missing].filter((id) => !there.has(id)));
}

/** Newest first, without duplicates; rows of the first list win. */
function merged(first: readonly EventView[], second: readonly EventView[]): EventView[] {
  if (first.length === 0) return [...second];
  const ids = new Set(first.map(({ id }) => id));
  const rows = [...first, ...second.filter(({ id }) => !ids.has(id))];
  return rows.toSorted((a, b) => (a.id < b.id ? 1 : -1));
}
