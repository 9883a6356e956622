const leastMs = 3;

/**
 * By which power of its input's size the CPU time of a function grows: 1 is linear, 2 is quadratic. CPU time of this thread,
 * and the best of some runs: what else the machine does has no part in it. What takes under 3 ms counts as that.
 * @param inputOf makes the input of a size
 * @param size of the smaller input; the larger one is eight times that
 */
export function growth<T>(size: number, inputOf: (size: number) => T, run: (input: T) => unknown): number {
  const [small, large] = [inputOf(size), inputOf(size * 8)];
  // The first runs are the interpreter's.
  for (let times = 0; times < 3; times += 1) run(small);
  return Math.log(bestMs(run, large) / bestMs(run, small)) / Math.log(8);
}

function bestMs<T>(run: (input: T) => unknown, input: T): number {
  let best = Infinity;
  for (let times = 0; times < 3; times += 1) {
    const before = process.threadCpuUsage();
    run(input);
    const { user, system } = process.threadCpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return Math.max(best, leastMs);
}
