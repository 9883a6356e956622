import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import type { Schema } from '../../api/named-schema.js';

/** What each agent used in the last 30 days, in total or by day. */
export function useUsage(by: 'agent' | 'day_agent'): UseQueryResult<Schema<'UsageView'>[]> {
  return useProjectQuery(['usage', by], async (signal) => {
    const { data } = await answer(api.GET('/api/v1/usage', { params: { query: { group_by: by } }, signal }));
    return data;
  });
}

const millionths = 1_000_000;
const digits = 4;

export const costOf = (micros: number): string =>
  (micros / millionths).toLocaleString(undefined, { maximumFractionDigits: digits });
