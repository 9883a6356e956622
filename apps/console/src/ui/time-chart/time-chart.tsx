import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import { columnsOf, momentIn, plotOptions, type TimeData, type TimeSeries } from './plot-options.js';
import classes from './time-chart.module.css';
import { grouped } from '../numbers.js';

export interface TimeChartProps {
  /** What it shows, in a sentence. */
  summary: string;
  data: TimeData;
  series: TimeSeries[];
  stacked?: boolean;
  unit?: string;
  /** Each point is a whole day. */
  days?: boolean;
  /** Of the whole chart, in pixels. */
  height?: number;
}

const readoutHeight = 24;

export default function TimeChart(props: TimeChartProps): ReactNode {
  const { summary, data, series, stacked = false, unit = '', days = false, height = 180 } = props;
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const scheme = useComputedColorScheme();
  const columns = columnsOf({ data, series, stacked, days });
  // Parents pass new objects at each render, so they are compared by content.
  const [look, numbers] = [JSON.stringify(series), JSON.stringify(columns)];

  useEffect(() => {
    const box = host.current;
    if (!box) return undefined;
    const size = () => ({ width: box.clientWidth, height: height - readoutHeight });
    const options = plotOptions({ series: JSON.parse(look) as TimeSeries[], stacked, days, unit, box });
    const made = new UPlot(
      { ...options, ...size(), hooks: { setCursor: [({ cursor }) => setPointed(cursor.idx ?? null)] } },
      JSON.parse(numbers) as UPlot.AlignedData,
      box,
    );
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize(size()));
    resized.observe(box);
    return () => {
      resized.disconnect();
      made.destroy();
      plot.current = null;
    };
    // New numbers go to the existing chart; a new scheme has new colours.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [look, scheme, stacked, days, unit, height]);
  useEffect(() => plot.current?.setData(JSON.parse(numbers) as UPlot.AlignedData), [numbers]);

  const point = pointed === null ? undefined : data[pointed];
  return (
    <div role="img" aria-label={summary}>
      <div className={classes['readout']} aria-hidden>
        {(series.length > 1 || point) &&
          series.map(({ name, label, color }) => (
            <span key={name}>
              <i style={{ background: `var(--mantine-color-${color.replace('.', '-')})` }} />
              {label}
              {point && <b>{point[name] === null ? '–' : `${grouped(Number(point[name]))}${unit}`}</b>}
            </span>
          ))}
        {point && <time>{momentIn(data, days).format(new Date(columns[0][pointed ?? 0] ?? 0))}</time>}
      </div>
      <div ref={host} />
    </div>
  );
}
