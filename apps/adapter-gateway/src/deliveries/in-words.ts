/** A duration for people: `24 hours`, `90 seconds`. */
export function inWords(ms: number): string {
  const units = [
    [86_400_000, 'day'],
    [3_600_000, 'hour'],
    [60_000, 'minute'],
  ] as const;
  // A day is 24 hours here.
  const [unitMs, unit] = units.find(([one]) => ms >= 2 * one && ms % one === 0) ?? [1_000, 'second'];
  const count = Math.round((ms / unitMs) * 10) / 10;
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
