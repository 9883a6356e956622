/**
 * Runs callers that each call again as soon as they get an answer.
 * @param {() => Promise<unknown>} call
 * @param {{callers: number, seconds: number}} load
 * @returns {Promise<{perSecond: number, p50: number, p99: number}>} latencies in ms
 */
export async function closedLoop(call, { callers, seconds }) {
  /** @type {number[]} */
  const times = [];
  const began = performance.now();
  const until = began + seconds * 1_000;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let now = performance.now(); now < until;) {
        await call();
        const after = performance.now();
        times.push(after - now);
        now = after;
      }
    }),
  );
  const tookMs = performance.now() - began;
  times.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { perSecond: times.length / (tookMs / 1_000), p50: at(0.5), p99: at(0.99) };
}
