import type { NormalizedMessage, RequestFacts } from '#libs/contracts';
import type { FilterInput } from './filter.js';

/** More would hold up the messages behind it: a filter's loops go over all of them. */
export const maxFilterValues = 10_000;

/** A message as expressions see it; null when its metadata is larger than an expression may read. */
export function filterInput(
  message: NormalizedMessage,
  contact: { id: string; name: string; status: string } | null,
  verified: boolean,
  request: RequestFacts | null,
): FilterInput | null {
  if (countValues(message.metadata ?? {}, maxFilterValues) > maxFilterValues) return null;
  return {
    event: {
      type: message.event_type,
      sender: message.sender,
      message: message.message,
      thread_id: message.thread_id ?? '',
      is_dm: message.is_dm ?? false,
      verified,
    },
    contact: contact ?? { id: '', name: message.sender, status: 'builtin' },
    metadata: message.metadata ?? {},
    request: request ?? { headers: {}, query: {} },
  };
}

function countValues(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const entry of Object.values(value)) {
    count += countValues(entry, most - count);
    if (count > most) return count;
  }
  return count;
}
