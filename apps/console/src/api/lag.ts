import type { QueryClient } from '@tanstack/react-query';

/** What an answer of the API says of its age; absent: that list never lags. */
export interface Aged {
  /** How old it may be, in ms; null: it is current. */
  behind_ms?: number | null;
}

/** Answers take their time, and the replica goes on meanwhile. */
const graceMs = 500;

/** As of when an answer is, by this browser's clock; null: it was current when it came. */
export function asOf({ behind_ms: behindMs }: Aged, cameMs: number): string | null {
  return typeof behindMs === 'number' ? new Date(cameMs - behindMs).toISOString() : null;
}

/** When to ask again for what was stored before an answer, and may be missing in it; null: nothing is. */
export function askLaterMs({ behind_ms: behindMs }: Aged): number | null {
  return typeof behindMs === 'number' ? behindMs + graceMs : null;
}

/** The same for the answers under a key of the cache. */
export function askTheseLaterMs(queryClient: QueryClient, queryKey: readonly unknown[]): number | null {
  const waits = queryClient
    .getQueriesData<Aged & { pages?: Aged[] }>({ queryKey })
    .flatMap(([, data]) => (data ? [data, ...(data.pages ?? [])] : []))
    .flatMap((answer) => askLaterMs(answer) ?? []);
  return waits.length > 0 ? Math.max(...waits) : null;
}
