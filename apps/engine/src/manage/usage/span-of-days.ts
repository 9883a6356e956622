import { Problem, Text } from '#libs/service-kit';

export class SpanQuery {
  @Text(10, { optional: true, description: 'First day, YYYY-MM-DD in UTC; 30 days ago when absent' }) from?: string;
  @Text(10, { optional: true, description: 'Last day; today when absent' }) to?: string;
}

/** @throws Problem 422 */
export function spanOf(query: SpanQuery): { from: string; to: string } {
  return { from: dayOf('from', query.from, -30), to: dayOf('to', query.to, 0) };
}

function dayOf(field: string, given: string | undefined, daysFromNow: number): string {
  if (given === undefined) return new Date(Date.now() + daysFromNow * 86_400_000).toISOString().slice(0, 10);
  const date = new Date(`${given}T00:00:00Z`);
  if (/^\d{4}-\d{2}-\d{2}$/.test(given) && !Number.isNaN(date.getTime())) return given;
  throw new Problem(422, 'invalid_fields', 'Some fields are not valid.', [
    { field, message: 'must be a day like 2026-01-31' },
  ]);
}
