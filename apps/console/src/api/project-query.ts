import {
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useQuery,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';

/** The project that the URL names. */
export function useProjectId(): string {
  const { projectId } = useParams({ strict: false });
  if (!projectId) throw new Error('This page stands outside of a project.');
  return projectId;
}

interface Options {
  enabled?: boolean;
  /** Asks again so often, in milliseconds. */
  refetchInterval?: number | false;
}

interface QueryOptions<Data> extends Omit<Options, 'refetchInterval'> {
  /** Shows what was answered under the key before until this one has its answer. */
  keep?: boolean;
  /** Asks again so often, in milliseconds; by what was answered last and how often none was, where it is a function. */
  refetchInterval?: number | false | ((last: Data | undefined, failures: number) => number | false);
}

/** The key under which an answer of this project is kept: `queryClient.invalidateQueries({ queryKey: projectKey(id, ['apps']) })`. */
export const projectKey = (projectId: string, key: readonly unknown[]): readonly unknown[] => ['p', projectId, ...key];

/** What a page asks for, named: `useProjectQuery(...question)`, and before the page is there `prefetch(…, question)`. */
export type Question<Data = unknown> = readonly [key: readonly unknown[], ask: (signal: AbortSignal) => Promise<Data>];

/** Asks for what a page will show while its code is on its way; for the `loader` of its route. What is known it leaves to the page. */
export function prefetch(queryClient: QueryClient, projectId: string, ...questions: Question[]): void {
  for (const [key, ask] of questions) {
    const queryKey = projectKey(projectId, key);
    if (queryClient.getQueryState(queryKey)) continue;
    void queryClient.prefetchQuery({ queryKey, queryFn: ({ signal }) => ask(signal) });
  }
}

/** The same for the beginning of a list. */
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

/** One answer of the API, kept by project so that switching never mixes them. */
export function useProjectQuery<Data>(
  key: readonly unknown[],
  ask: (signal: AbortSignal) => Promise<Data>,
  { refetchInterval = false, keep = false, ...options }: QueryOptions<Data> = {},
): UseQueryResult<Data> {
  return useQuery({
    queryKey: projectKey(useProjectId(), key),
    queryFn: ({ signal }) => ask(signal),
    refetchInterval: ({ state }) =>
      typeof refetchInterval === 'function' ? refetchInterval(state.data, state.errorUpdateCount) : refetchInterval,
    ...(keep ? { placeholderData: keepPreviousData } : {}),
    ...options,
  });
}

export interface Page<Row> {
  data: Row[];
  next_cursor: string | null;
}

export interface CursorList<Row> {
  rows: Row[];
  /** Nothing is there to show yet. */
  loading: boolean;
  error: Error | null;
  hasMore: boolean;
  loadingMore: boolean;
  loadMore: () => void;
  refresh: () => void;
}

/** A list that the API gives by pages: `useCursorList(['events', search], (cursor, signal) => answer(api.GET(…)))`. */
export function useCursorList<Row>(
  key: readonly unknown[],
  ask: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Row>>,
  options: Options = {},
): CursorList<Row> {
  const query = useInfiniteQuery({
    queryKey: projectKey(useProjectId(), key),
    queryFn: ({ pageParam, signal }) => ask(pageParam ?? undefined, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    ...options,
  });
  return {
    rows: query.data?.pages.flatMap(({ data }) => data) ?? [],
    loading: query.isPending,
    error: query.error,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    loadMore: () => void (query.hasNextPage && !query.isFetchingNextPage && query.fetchNextPage()),
    refresh: () => void query.refetch(),
  };
}
