const leastMs = 3;

/**
 * The exponent with which a function's CPU time grows with its input's size: 1 is linear, 2 is quadratic. Uses this
 * thread's CPU time and the best of several runs, so that other load on the machine does not count. Less than 3 ms
 * counts as 3 ms.
 * @param inputOf makes an input of a given size
 * @param size of the smaller input; the larger one is eight times that
 */
export function growth<T>(size: number, inputOf: (size: number) => T, run: (input: T) => unknown): number {
  const [small, large] = [inputOf(size), inputOf(size * 8)];
  // The first runs are in the interpreter.
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
