import { useThrottledCallback } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { contextHeaders } from './client.js';
import { connection } from './connection.js';
import { askTheseLaterMs } from './lag.js';
import { isProblem, problemOf } from './problem.js';
import { projectKey, useProjectId } from './project-query.js';
import { sessionQuery, useScope } from './session.js';

export type StreamState = 'connecting' | 'live' | 'retrying' | 'off';

interface Listening {
  path: string;
  enabled?: boolean;
  onMessage: (message: EventSourceMessage) => void;
}

const firstWaitMs = 500;
const longestWaitMs = 15_000;

/** Listens to server-sent events. It resumes after the last one when the stream ends or breaks. */
export function useEventStream({ path, enabled = true, onMessage }: Listening): StreamState {
  const projectId = useProjectId();
  const [state, setState] = useState<StreamState>('connecting');
  const queryClient = useQueryClient();
  const take = useEffectEvent(onMessage);
  useEffect(() => {
    if (!enabled) return;
    const ended = new AbortController();
    void listen({
      path,
      signal: ended.signal,
      onMessage: (message) => take(message),
      onState: setState,
      // A session that has ended leads to the sign-in page.
      onSessionChanged: () => void queryClient.invalidateQueries(sessionQuery),
    });
    return () => ended.abort();
  }, [path, enabled, projectId]);
  return enabled ? state : 'off';
}

interface Stream {
  path: string;
  signal: AbortSignal;
  onMessage: (message: EventSourceMessage) => void;
  onState: (state: StreamState) => void;
  onSessionChanged: () => void;
}

async function listen({ path, signal, onMessage, onState, onSessionChanged }: Stream): Promise<void> {
  let lastId: string | undefined;
  let waitMs = firstWaitMs;
  let wasOpen = false;
  while (!signal.aborted) {
    try {
      await readStream(path, lastId, signal, {
        onOpen: () => {
          waitMs = firstWaitMs;
          onState('live');
          // The server ends a stream also because the rights of its session have changed.
          if (wasOpen) onSessionChanged();
          wasOpen = true;
        },
        onMessage: (message) => {
          if (message.id) lastId = message.id;
          onMessage(message);
        },
      });
    } catch (error) {
      if (signal.aborted) return;
      if (isProblem(error, 'invalid_last_event_id')) lastId = undefined;
      onState('retrying');
      if (isProblem(error, 'not_signed_in')) return onSessionChanged();
      if (isProblem(error, 'scope_missing')) onSessionChanged();
      waitMs = Math.min(waitMs * 2, longestWaitMs);
    }
    await pause(waitMs, signal);
  }
}

interface Reader {
  onOpen: () => void;
  onMessage: (message: EventSourceMessage) => void;
}

async function readStream(
  path: string,
  lastId: string | undefined,
  signal: AbortSignal,
  reader: Reader,
): Promise<void> {
  const headers = { ...contextHeaders('GET'), ...(lastId ? { 'last-event-id': lastId } : {}) };
  const response = await fetch(path, { headers, signal }).catch((error: unknown) => {
    // A page that only listens would not notice otherwise.
    if (!signal.aborted) connection.reportLost();
    throw error;
  });
  if (!response.ok || !response.body) throw await problemOf(response);
  reader.onOpen();
  const parser = createParser({ onEvent: reader.onMessage });
  const chunks = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let chunk = await chunks.read(); !chunk.done; chunk = await chunks.read()) parser.feed(chunk.value);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Lists are refetched at most this often. */
const everyMs = 1_000;

interface Live {
  appId?: string;
  /** Only this event. */
  eventId?: string;
  enabled?: boolean;
}

/** Refetches what is under a key; once more where the answers may lack what was announced. */
function useRefresh(queryKey: readonly unknown[]): () => void {
  const queryClient = useQueryClient();
  const later = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(later.current), []);
  return useThrottledCallback(async () => {
    await queryClient.invalidateQueries({ queryKey });
    const waitMs = askTheseLaterMs(queryClient, queryKey);
    clearTimeout(later.current);
    if (waitMs !== null) later.current = setTimeout(() => void queryClient.invalidateQueries({ queryKey }), waitMs);
  }, everyMs);
}

/** Refetches events as something happens to them. */
export function useLiveEvents({ appId, eventId, enabled = true }: Live): StreamState {
  const projectId = useProjectId();
  const key = projectKey(projectId, eventId ? ['event', eventId] : ['events']);
  const refresh = useRefresh(key);
  const query = new URLSearchParams();
  if (appId) query.set('app_id', appId);
  if (eventId) query.set('event_id', eventId);
  return useEventStream({ path: `/api/v1/events/stream?${query}`, enabled, onMessage: refresh });
}

/** Refetches what is under a key whenever something happens to an event of the project. */
export function useLiveRefresh(key: string): StreamState {
  const refresh = useRefresh(projectKey(useProjectId(), [key]));
  return useEventStream({ path: '/api/v1/events/stream', enabled: useScope('events:read'), onMessage: refresh });
}
