import { once } from '../once.js';
import type { TimeData } from './plot-options.js';

const clock = once(() => new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }));
const moment = once(
  () => new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' }),
);
const day = once(() => new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' }));
export const dayMs = 86_400_000;

/** When a point is, in ms since 1970. A day is one of the calendar here: it begins at midnight here. */
export const timeOf = (at: string, days: boolean): number => Date.parse(days ? `${at.slice(0, 10)}T00:00:00` : at);

/** How the moments of these points are written: with as much as tells them apart. */
export function momentIn(data: TimeData, days: boolean): Intl.DateTimeFormat {
  const [first, last] = [data[0]?.at, data.at(-1)?.at];
  if (days || first === undefined || last === undefined) return day();
  return Date.parse(last) - Date.parse(first) > dayMs ? moment() : clock();
}

/** A mark below a chart, by how far apart they are, in ms: hours, with the day where one begins. */
export const markOf = (at: number, apart: number): string =>
  (apart >= dayMs || new Date(at).getHours() + new Date(at).getMinutes() === 0 ? day() : clock()).format(at);
