const secondMs = 1_000;
const minuteMs = 60_000;
const hourMs = 3_600_000;

/** A duration, as short as possible: `4 ms`, `1.2 s`, `3 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1) return '< 1 ms';
  if (ms < secondMs) return `${Math.round(ms)} ms`;
  if (ms < 10 * secondMs) return `${(ms / secondMs).toFixed(1)} s`;
  if (ms < minuteMs) return `${Math.round(ms / secondMs)} s`;
  if (ms < hourMs) return joined(Math.floor(ms / minuteMs), 'min', Math.round((ms % minuteMs) / secondMs), 's');
  return joined(Math.floor(ms / hourMs), 'h', Math.round((ms % hourMs) / minuteMs), 'min');
}

const joined = (large: number, unit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;
