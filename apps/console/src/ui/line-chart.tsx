import { Skeleton } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import type { TimeChartProps } from './time-chart/time-chart.js';

const TimeChart = lazy(() => import('./time-chart/time-chart.js'));

/** Numbers over time, loaded when it comes into sight. Screen readers get its content in words. */
export function LineChart(props: TimeChartProps): ReactNode {
  const [seen, setSeen] = useState(false);
  const { ref, entry } = useIntersection({ rootMargin: '200px' });
  if (entry?.isIntersecting && !seen) setSeen(true);
  const wait = <Skeleton height={props.height ?? 180} />;
  if (!seen) return <div ref={ref}>{wait}</div>;
  return (
    <Suspense fallback={wait}>
      <TimeChart {...props} />
    </Suspense>
  );
}
