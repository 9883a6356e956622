import type { HrTime } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';

/** The sender. */
export const resourceOf = (service: string): ReturnType<typeof resourceFromAttributes> =>
  resourceFromAttributes({ 'service.name': service, 'service.namespace': 'gatehouse' });

/** Seconds and nanoseconds. @param ms since 1970, or a duration */
export function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
