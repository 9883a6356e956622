import { Skeleton } from '@mantine/core';
import { lazy, type ReactNode, Suspense } from 'react';
import type { TimeChartProps } from './time-chart.js';

const TimeChart = lazy(() => import('./time-chart.js'));

/** Numbers over time, loaded when it is first shown. What it shows is said in words for who cannot see it. */
export function LineChart(props: TimeChartProps): ReactNode {
  return (
    <Suspense fallback={<Skeleton height={props.height ?? 180} />}>
      <TimeChart {...props} />
    </Suspense>
  );
}
