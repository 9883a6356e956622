import type { QuietHours } from './alert-rule.entity.js';

export const isTimeZone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
};

/** Whether nothing is sent now, by the clock of the rule's time zone. `from` is included, `to` is not. */
export function isQuiet(quiet: QuietHours | null, now: Date): boolean {
  if (quiet === null) return false;
  const { from, to, time_zone: timeZone, weekends } = quiet;
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(now);
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.find((one) => one.type === type)?.value ?? '';
  if (weekends && ['Sat', 'Sun'].includes(part('weekday'))) return true;
  const clock = `${part('hour')}:${part('minute')}`;
  return from < to ? clock >= from && clock < to : clock >= from || clock < to;
}
