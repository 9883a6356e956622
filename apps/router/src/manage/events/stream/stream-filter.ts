import { stages, type Stage } from '#libs/contracts';
import type { LiveEntry } from '#libs/journal';
import { OneOf, Text } from '#libs/service-kit';

export class StreamFilter {
  @Text(100, { optional: true }) app_id?: string;
  @Text(100, { optional: true, description: 'Only this event' }) event_id?: string;
  @OneOf(stages, { optional: true }) stage?: Stage;
}

export function passes(filter: StreamFilter, entry: LiveEntry): boolean {
  return (
    (filter.app_id ?? entry.app_id) === entry.app_id &&
    (filter.event_id ?? entry.receipt_id) === entry.receipt_id &&
    (filter.stage ?? entry.stage) === entry.stage
  );
}
