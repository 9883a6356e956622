/**
 * Upper bounds, in ms, of the classes that durations are counted in; the last class is open. Neighbours differ by half
 * or less, which bounds the error of a percentile.
 */
// prettier-ignore
export const latencyBoundsMs: readonly number[] = [
  1, 1.5, 2, 3, 4, 6, 8, 10, 15, 20, 30, 40, 60, 80, 100, 150, 200, 300, 400, 600, 800,
  1_000, 1_500, 2_000, 3_000, 4_000, 6_000, 8_000, 10_000, 15_000, 20_000, 30_000, 40_000, 60_000, 90_000, 120_000,
  180_000, 300_000, 600_000, 1_200_000, 3_600_000,
];

/** The class of a duration, as Postgres's `width_bucket` computes it. */
export function latencyClass(ms: number): number {
  let [low, high] = [0, latencyBoundsMs.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((latencyBoundsMs[middle] ?? Infinity) <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Durations of one kind. */
export interface Latency {
  count: number;
  p50_ms: number | null;
  p99_ms: number | null;
}

/** @param classes how many durations are in each class */
export function latencyOf(classes: ReadonlyMap<number, number>): Latency {
  const sorted = [...classes].toSorted(([a], [b]) => a - b);
  const count = sorted.reduce((sum, [, each]) => sum + each, 0);
  return { count, p50_ms: percentile(sorted, count, 0.5), p99_ms: percentile(sorted, count, 0.99) };
}

/** Within a class, durations are taken to be evenly spread. */
function percentile(sorted: [number, number][], count: number, share: number): number | null {
  const rank = share * count;
  let before = 0;
  for (const [at, each] of sorted) {
    if (before + each >= rank && each > 0) {
      const from = at === 0 ? 0 : (latencyBoundsMs[at - 1] ?? 0);
      const to = latencyBoundsMs[at] ?? from;
      return Math.round((from + ((to - from) * (rank - before)) / each) * 10) / 10;
    }
    before += each;
  }
  return null;
}
