import '@mantine/charts/styles.layer.css';
import { AreaChart } from '@mantine/charts';
import type { ReactNode } from 'react';

export interface TimeChartProps {
  /** What it shows, in a sentence. */
  summary: string;
  data: { at: string; [series: string]: number | string | null }[];
  series: { name: string; label: string; color: string }[];
  stacked?: boolean;
  unit?: string;
  /** Each point is a day as a whole. */
  days?: boolean;
  height?: number;
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const moment = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const dayMs = 86_400_000;
const number = new Intl.NumberFormat();

export default function TimeChart(props: TimeChartProps): ReactNode {
  const { summary, data, series, stacked, unit, days = false, height = 180 } = props;
  const [first, last] = [data[0]?.at, data.at(-1)?.at];
  const longer = first !== undefined && last !== undefined && Date.parse(last) - Date.parse(first) > dayMs;
  const written = days ? day : longer ? moment : clock;
  return (
    <div role="img" aria-label={summary}>
      <AreaChart
        h={height}
        data={data.map((point) => ({ ...point, at: written.format(new Date(point.at)) }))}
        dataKey="at"
        series={series}
        type={stacked ? 'stacked' : 'default'}
        unit={unit}
        valueFormatter={(value) => number.format(value)}
        yAxisProps={{ allowDecimals: false }}
        withDots={false}
        // A line on top of a pile would show where others are: none of a series that has nothing there.
        strokeWidth={stacked ? 0 : 1.5}
        fillOpacity={stacked ? 0.75 : 0.15}
        withGradient={!stacked}
        curveType={stacked ? 'step' : 'monotone'}
        withLegend={series.length > 1}
        areaChartProps={{ accessibilityLayer: false }}
      />
    </div>
  );
}
