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
  height?: number;
}

const time = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' });

export default function TimeChart({ summary, data, series, stacked, unit, height = 180 }: TimeChartProps): ReactNode {
  return (
    <div role="img" aria-label={summary}>
      <AreaChart
        h={height}
        data={data.map((point) => ({ ...point, at: time.format(new Date(point.at)) }))}
        dataKey="at"
        series={series}
        type={stacked ? 'stacked' : 'default'}
        unit={unit}
        withDots={false}
        strokeWidth={1.5}
        fillOpacity={0.15}
        withLegend={series.length > 1}
        areaChartProps={{ accessibilityLayer: false }}
      />
    </div>
  );
}
