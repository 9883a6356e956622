import { deadLetterStates, type DeadLetterQuery, type DeadLetterState } from '#libs/journal';
import { OneOf, OrderedQuery, Text } from '#libs/service-kit';
import { timeOf } from '../event-filter.js';

const deadLetterStages = ['verified', 'parsed', 'routed', 'turn', 'delivery'] as const;

export class DeadLetterFilter extends OrderedQuery {
  @Text(100, { optional: true }) app_id?: string;
  @Text(100, { optional: true, description: 'The event that failed' }) event_id?: string;
  @OneOf(deadLetterStages, { optional: true, description: 'Stage at which it failed' }) stage?: string;
  @Text(200, { optional: true, description: 'Code of the failure' }) reason?: string;
  @OneOf(deadLetterStates, { optional: true }) state?: DeadLetterState;
  @Text(40, { optional: true, description: 'Dead-lettered at this time or later (RFC 3339)' }) since?: string;
  @Text(40, { optional: true, description: 'Dead-lettered before this time (RFC 3339)' }) until?: string;
}

/** @throws Problem 422 for an invalid time */
export function deadLetterQuery(filter: DeadLetterFilter): Omit<DeadLetterQuery, 'organizationId' | 'projectId'> {
  return {
    appId: filter.app_id ?? null,
    receiptId: filter.event_id ?? null,
    stage: filter.stage ?? null,
    reason: filter.reason ?? null,
    state: filter.state ?? null,
    from: timeOf('since', filter.since),
    to: timeOf('until', filter.until),
    cursor: filter.cursor ?? null,
    order: filter.order,
    limit: filter.limit,
  };
}
