import { once } from '../once.js';
import type { TimeData } from './plot-options.js';

const clock = once(() => new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }));
const moment = once(
  () => new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' }),
);
const day = once(() => new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' }));
export const dayMs = 86_400_000;

/** The time of a point, in ms since 1970. A day is a calendar day in the reader's time zone. */
export const timeOf = (at: string, days: boolean): number => Date.parse(days ? `${at.slice(0, 10)}T00:00:00` : at);

/** How the times of these points are written: with as much detail as distinguishes them. */
export function momentIn(data: TimeData, days: boolean): Intl.DateTimeFormat {
  const [first, last] = [data[0]?.at, data.at(-1)?.at];
  if (days || first === undefined || last === undefined) return day();
  return Date.parse(last) - Date.parse(first) > dayMs ? moment() : clock();
}

/** A label below a chart, by the distance of the marks in ms: hours, with the day where one begins. */
export const markOf = (at: number, apart: number): string =>
  (apart >= dayMs || new Date(at).getHours() + new Date(at).getMinutes() === 0 ? day() : clock()).format(at);
