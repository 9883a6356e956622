import type { TimelineEntry } from './timeline.js';

const codes = ['adapter_unready', 'adapter_disabled'];

/**
 * What an entry waits for where its adapter may not be called, as words that follow "for": `the adapter acme: not ready
 * since …, because …`. Null: it waits for something else, or an earlier release did not say.
 */
export function adapterWait({ reason, detail }: Pick<TimelineEntry, 'reason' | 'detail'>): string | null {
  const words = detail?.['error'];
  const isNamed = typeof words === 'string' && words.startsWith('the adapter ');
  return reason !== null && codes.includes(reason) && isNamed ? words.replace(/\.$/, '') : null;
}
