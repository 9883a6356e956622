import '@mantine/charts/styles.css';
import { AreaChart } from '@mantine/charts';
import type { ReactNode } from 'react';

export interface TimeChartProps {
  /** What it shows, in a sentence. */
  summary: string;
  data: { at: string; [series: string]: number | string | null }[];
  series: { name: string; label: string; color: string }[];
  stacked?: boolean;
  unit?: string;
  height?: number;
}

const day = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const longer = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const dayMs = 86_400_000;

export default function TimeChart({ summary, data, series, stacked, unit, height = 180 }: TimeChartProps): ReactNode {
  const [first, last] = [data[0]?.at, data.at(-1)?.at];
  const time = first && last && Date.parse(last) - Date.parse(first) > dayMs ? longer : day;
  return (
    <div role="img" aria-label={summary}>
      <AreaChart
        h={height}
        data={data.map((point) => ({ ...point, at: time.format(new Date(point.at)) }))}
        dataKey="at"
        series={series}
        type={stacked ? 'stacked' : 'default'}
        unit={unit}
        yAxisProps={{ allowDecimals: false }}
        withDots={false}
        strokeWidth={1.5}
        fillOpacity={0.15}
        withLegend={series.length > 1}
        areaChartProps={{ accessibilityLayer: false }}
      />
    </div>
  );
}
