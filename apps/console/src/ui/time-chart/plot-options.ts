import UPlot from 'uplot';
import { once } from '../numbers.js';

const clock = once(() => new Intl.DateTimeFormat(undefined, { timeStyle: 'short' }));
const moment = once(
  () => new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' }),
);
const day = once(() => new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' }));
const dayMs = 86_400_000;

/** The time of a point, in ms since 1970. A day is a calendar day in the reader's time zone. */
const timeOf = (at: string, days: boolean): number => Date.parse(days ? `${at.slice(0, 10)}T00:00:00` : at);

/** How the times of these points are written: with as much detail as distinguishes them. */
export function momentIn(data: TimeData, days: boolean): Intl.DateTimeFormat {
  const [first, last] = [data[0]?.at, data.at(-1)?.at];
  if (days || first === undefined || last === undefined) return day();
  return Date.parse(last) - Date.parse(first) > dayMs ? moment() : clock();
}

/** A label below a chart, by the distance of the marks in ms: hours, with the day where one begins. */
const markOf = (at: number, apart: number): string =>
  (apart >= dayMs || new Date(at).getHours() + new Date(at).getMinutes() === 0 ? day() : clock()).format(at);

export interface TimeSeries {
  /** Its field in the data. */
  name: string;
  label: string;
  /** A colour of the theme, with its shade: `teal.6`. */
  color: string;
}

/** In order of time; null where nothing was measured. */
export type TimeData = { at: string; [series: string]: number | string | null }[];

interface ColumnsOf {
  data: TimeData;
  series: TimeSeries[];
  stacked: boolean;
  days: boolean;
}

/**
 * Times and numbers as columns. In a stack the first column is the topmost series, and each further one is what lies
 * below it.
 */
export function columnsOf({ data, series, stacked, days }: ColumnsOf): [number[], ...(number | null)[][]] {
  const times = data.map(({ at }) => timeOf(at, days));
  const numbers = series.map(({ name }) => data.map((point) => (point[name] === null ? null : Number(point[name]))));
  if (!stacked) return [times, ...numbers];
  const below = data.map(() => 0);
  const piled = numbers.map((column) =>
    column.map((value, index) => (below[index] = (below[index] ?? 0) + (value ?? 0))),
  );
  return [times, ...piled.reverse()];
}

interface PlotOptions {
  series: TimeSeries[];
  stacked: boolean;
  days: boolean;
  unit: string;
  /** The element whose colours and font it uses. */
  box: HTMLElement;
}

const whole = [1, 2, 5].map((first) => Array.from({ length: 12 }, (_none, zeros) => first * 10 ** zeros));
const number = once(() => new Intl.NumberFormat(undefined, { notation: 'compact' }));

export function plotOptions({
  series,
  stacked,
  days,
  unit,
  box,
}: PlotOptions): Omit<UPlot.Options, 'width' | 'height'> {
  const style = getComputedStyle(box);
  const variable = (name: string): string => style.getPropertyValue(name).trim();
  const colorOf = (color: string): string => variable(`--mantine-color-${color.replace('.', '-')}`);
  const drawn = stacked ? series.toReversed() : series;
  // Straight lines: a curve would show values that nobody measured, such as less than none.
  const paths = stacked ? UPlot.paths.bars?.({ size: [0.9, 48] }) : UPlot.paths.linear?.();
  const axis = {
    stroke: variable('--mantine-color-dimmed'),
    font: `11px ${style.fontFamily}`,
    grid: { stroke: variable('--gh-line'), width: 1 },
    ticks: { show: false },
  };
  return {
    ms: 1,
    legend: { show: false },
    padding: [8, null, 0, 0],
    // No zoom: another time range is chosen beside the chart.
    cursor: { y: false, drag: { x: false, y: false }, points: { show: !stacked } },
    scales: {
      x: {
        range: ({ data: [times] }, first, last) => {
          if (times.length === 0) return [null, null];
          const room = stacked || times.length < 2 ? halfAStep(times) : 0;
          return [first - room, last + room];
        },
      },
      y: { range: (_plot, _least, most) => [0, Math.max(1, most * 1.1)] },
    },
    series: [
      {},
      ...drawn.map(({ color }): UPlot.Series => {
        const own = colorOf(color);
        return stacked
          ? { width: 0, fill: own, paths, points: { show: false } }
          : { width: 1.5, stroke: own, fill: `${own}26`, paths, points: { show: false } };
      }),
    ],
    axes: [
      {
        ...axis,
        size: 28,
        space: 64,
        ...(days ? { incrs: [1, 2, 7, 14, 28, 91].map((count) => count * dayMs) } : {}),
        values: (_plot, marks, _axis, _space, apart) => marks.map((mark) => markOf(mark, apart)),
      },
      {
        ...axis,
        // As wide as the longest label.
        size: (_plot, texts) => 12 + 6.5 * Math.max(4, ...(texts ?? []).map(({ length }) => length)),
        space: 32,
        incrs: whole.flat().toSorted((one, other) => one - other),
        values: (_plot, marks) => marks.map((mark) => `${number().format(mark)}${unit}`),
      },
    ],
  };
}

/** Half the distance of two points, in ms: a bar at an edge is whole, and a single point has room. */
const halfAStep = ([first = 0, second = first + dayMs]: ArrayLike<number> & Iterable<number>): number =>
  (second - first) / 2;
