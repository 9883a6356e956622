/** Created on first use: formatters and collators cost the browser more than much of a page. */
export function once<Made>(make: () => Made): () => Made {
  let made: { it: Made } | undefined;
  return () => (made ??= { it: make() }).it;
}

const format = once(() => new Intl.NumberFormat());
/** Whole numbers below it have no group separator. */
const thousand = 1_000;

/** A number in the reader's locale: `12,345`. */
export const grouped = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < thousand ? String(value) : format().format(value);

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

const kb = 1_024;

/** A number of bytes, in short form. */
export function size(bytes: number): string {
  if (bytes < kb) return `${bytes} B`;
  if (bytes < kb * kb) return `${(bytes / kb).toFixed(1)} KB`;
  return `${(bytes / kb / kb).toFixed(1)} MB`;
}
