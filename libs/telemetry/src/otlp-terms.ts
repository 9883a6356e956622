import type { HrTime } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';

/** Who sends. */
export const resourceOf = (service: string): ReturnType<typeof resourceFromAttributes> =>
  resourceFromAttributes({ 'service.name': service, 'service.namespace': 'gatehouse' });

/** Seconds and nanoseconds. @param ms since 1970, or how long something took */
export function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1_000);
  return [seconds, Math.round((ms - seconds * 1_000) * 1e6)];
}
