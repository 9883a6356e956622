import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api, type Schema } from './client.js';
import { asOf } from './lag.js';
import { useProjectQuery } from './project-query.js';

type UsageGroup = 'agent' | 'day_agent' | 'day_contact' | 'day_model' | 'total';

interface UsageSince<By> {
  /** First day in UTC, `2026-01-31`. */
  from: string;
  by: By;
  rows: Schema<'UsageView'>[];
  /** There may be more rows, which cost less. */
  cut: boolean;
  /** Null: it is current. */
  asOf: string | null;
}

/** The API answers with no more rows. */
const most = 1_000;
const everyMs = 30_000;
const dayMs = 86_400_000;

/** The first of so many days, of which the last is today. */
export const firstOfDays = (days: number): string =>
  new Date(Date.now() - (days - 1) * dayMs).toISOString().slice(0, 10);

/** The first day of this month. */
export const firstOfMonth = (): string => `${new Date().toISOString().slice(0, 7)}-01`;

/** What was used since a day. While that loads, what was asked for before: the answer says which it is. */
export function useUsage<By extends UsageGroup>(from: string, by: By): UseQueryResult<UsageSince<By>> {
  return useProjectQuery(
    ['usage', from, by],
    async (signal) => {
      const query = { from, group_by: by };
      const used = await answer(api.GET('/api/v1/usage', { params: { query }, signal }));
      const { data: rows } = used;
      return { from, by, rows, cut: rows.length >= most, asOf: asOf(used, Date.now()) };
    },
    { refetchInterval: everyMs, keep: true },
  );
}

const millionths = 1_000_000;
const digits = 4;

/** How many days the usage of agents is shown for. */
export const usageDays = 30;

/** Writes a cost, in millionths, in the currency of the installation; while that is unknown, as a number. */
export function useCost(): (micros: number) => string {
  const { data } = useProjectQuery(['model'], (signal) => answer(api.GET('/api/v1/model', { signal })));
  const style = data ? ({ style: 'currency', currency: data.currency } as const) : {};
  return (micros) => {
    const value = micros / millionths;
    const least = { minimumFractionDigits: 2, maximumFractionDigits: value < 1 ? digits : 2 };
    return value.toLocaleString(undefined, { ...style, ...least });
  };
}
