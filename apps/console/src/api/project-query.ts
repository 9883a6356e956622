import {
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type Aged, asOf } from './lag.js';
import { isRefusal } from './problem.js';

/** The project that the URL names. */
export function useProjectId(): string {
  const { projectId } = useParams({ strict: false });
  if (!projectId) throw new Error('This page stands outside of a project.');
  return projectId;
}

interface ListOptions<Row> {
  enabled?: boolean;
  /** In milliseconds. A function gets the rows that are loaded. */
  refetchInterval?: number | false | ((rows: Row[]) => number | false);
}

interface QueryOptions<Data> {
  enabled?: boolean;
  /** Shows the data of the previous key until this one has data. */
  keep?: boolean;
  /** It is about to exist: polls also after a refusal. */
  awaited?: boolean;
  /** Polls also while another page is looked at. */
  inBackground?: boolean;
  /** In milliseconds. A function gets the last data. */
  refetchInterval?: number | false | ((last: Data | undefined) => number | false);
}

/**
 * The cache key of an answer in this project: `queryClient.invalidateQueries({ queryKey: projectKey(id, ['apps']) })`.
 */
export const projectKey = (projectId: string, key: readonly unknown[]): readonly unknown[] => ['p', projectId, ...key];

/** A named query of a page: `useProjectQuery(...question)`, or `prefetch(…, question)` before the page has loaded. */
export type Question<Data = unknown> = readonly [key: readonly unknown[], ask: (signal: AbortSignal) => Promise<Data>];

/** Fetches a page's data while its code loads; for the `loader` of its route. Data in the cache is left to the page. */
export function prefetch(queryClient: QueryClient, projectId: string, ...questions: Question[]): void {
  for (const [key, ask] of questions) {
    const queryKey = projectKey(projectId, key);
    if (queryClient.getQueryState(queryKey)) continue;
    void queryClient.prefetchQuery({ queryKey, queryFn: ({ signal }) => ask(signal) });
  }
}

/** The same for the first page of a list. */
export function prefetchList<Row>(
  queryClient: QueryClient,
  projectId: string,
  key: readonly unknown[],
  ask: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>,
): void {
  const queryKey = projectKey(projectId, key);
  if (queryClient.getQueryState(queryKey)) return;
  void queryClient.prefetchInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => ask(pageParam ?? undefined, signal),
    initialPageParam: null as string | null,
  });
}

/** One answer of the API, cached by project so that switching never mixes them. */
export function useProjectQuery<Data>(
  key: readonly unknown[],
  ask: (signal: AbortSignal) => Promise<Data>,
  { refetchInterval = false, keep = false, awaited = false, inBackground = false, ...options }: QueryOptions<Data> = {},
): UseQueryResult<Data> {
  return useQuery({
    queryKey: projectKey(useProjectId(), key),
    queryFn: ({ signal }) => ask(signal),
    refetchInterval: ({ state }) => {
      // Each attempt would hide the refusal that a person reads.
      if (!awaited && state.data === undefined && isRefusal(state.error)) return false;
      return typeof refetchInterval === 'function' ? refetchInterval(state.data) : refetchInterval;
    },
    refetchIntervalInBackground: inBackground,
    ...(keep ? { placeholderData: keepPreviousData } : {}),
    ...options,
  });
}

export interface Page<Row> extends Aged {
  data: Row[];
  next_cursor: string | null;
}

export interface CursorList<Row> {
  rows: Row[];
  /** There is nothing to show yet. */
  loading: boolean;
  error: Error | null;
  /** What is newer may be missing: the API answered from a replica. Null: the list is current. */
  asOf: string | null;
  hasMore: boolean;
  loadingMore: boolean;
  loadMore: () => void;
  refresh: () => void;
  /** A page of it, besides those that are shown. */
  ask: (cursor: string | undefined) => Promise<Page<Row>>;
}

/** A paginated list of the API: `useCursorList(['events', search], (cursor, signal) => answer(api.GET(…)))`. */
export function useCursorList<Row>(
  key: readonly unknown[],
  ask: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>,
  { refetchInterval = false, ...options }: ListOptions<Row> = {},
): CursorList<Row> {
  const query = useInfiniteQuery({
    queryKey: projectKey(useProjectId(), key),
    queryFn: ({ pageParam, signal }) => ask(pageParam ?? undefined, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) =>
      typeof refetchInterval === 'function'
        ? refetchInterval(state.data?.pages.flatMap(({ data }) => data) ?? [])
        : refetchInterval,
    ...options,
  });
  return {
    rows: query.data?.pages.flatMap(({ data }) => data) ?? [],
    loading: query.isPending,
    error: query.error,
    asOf: asOf(query.data?.pages[0] ?? {}, query.dataUpdatedAt),
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    loadMore: () => void (query.hasNextPage && !query.isFetchingNextPage && query.fetchNextPage()),
    refresh: () => void query.refetch(),
    ask: (cursor) => ask(cursor, new AbortController().signal),
  };
}
