import { shown, table } from '../table.mjs';

/** @typedef {import('playwright-core').Page} Page */

const rowPx = 44;
/**
 * At the first speed each row is in view for two thirds of a second, which is fast reading. The second is a sustained
 * flick of the finger.
 */
const speeds = { reading: 1_200, flying: 8_000 };

/**
 * Scrolls the list of events down to its last row and back up, by the browser's compositor as for a finger, and
 * measures the intervals between frames.
 * @param {Page} page
 * @param {{url: string, events: number}} options
 */
export async function scrollEvents(page, { url, events }) {
  await page.goto(url);
  await page.getByRole('row').nth(20).waitFor();
  const cdp = await page.context().newCDPSession(page);
  const rows = [];
  const measured = async (/** @type {string} */ name, /** @type {() => Promise<void>} */ scroll) => {
    const frames = await framesWhile(page, scroll);
    rows.push([name, ...frames]);
    process.stdout.write(`  ${rows.at(-1)?.join(' ')}\n`);
  };
  const gesture = async (/** @type {number} */ distance, /** @type {number} */ speed) => {
    await cdp.send('Input.synthesizeScrollGesture', {
      x: 640,
      y: 500,
      yDistance: -distance,
      speed,
      preventFling: true,
    });
  };
  await measured('reading, pages loaded on the way', () => gesture(12_000, speeds.reading));
  await measured('flying to the last, pages loaded on the way', async () => {
    for (;;) {
      await gesture(40_000, speeds.flying);
      if (await page.getByText('End of the list').isVisible()) return;
    }
  });
  await measured('flying back to the first', async () => {
    while (Number(await page.evaluate('scrollY')) > 0) await gesture(-40_000, speeds.flying);
  });
  await page.evaluate(`scrollTo({ top: ${(events * rowPx) / 2} })`);
  await measured('reading in the middle of all', () => gesture(12_000, speeds.reading));
  const drawn = await page.getByRole('row').count();
  const heapMb = await page.evaluate('performance.memory.usedJSHeapSize / 1e6');
  const head = ['10,000 events', 'frames', 'p50 ms', 'p99 ms', 'longest ms', 'tasks over 50 ms'];
  head[0] = `${events.toLocaleString('en')} events`;
  return `${table(head, rows)}\n${drawn} rows are drawn at a time; the page's JavaScript holds ${shown(Number(heapMb), 0)} MB.`;
}

/**
 * Measures the intervals between the page's frames, and the long tasks that delayed them, by the page's own clock: the
 * browser cannot hold a trace of ten minutes.
 * @param {Page} page
 * @param {() => Promise<void>} act
 */
async function framesWhile(page, act) {
  await page.evaluate(`
    window.frameTimes = [];
    window.countFrames = true;
    requestAnimationFrame(function next(at) { frameTimes.push(at); if (countFrames) requestAnimationFrame(next); });
    window.longTasks = [];
    window.observer?.disconnect();
    window.observer = new PerformanceObserver((list) => longTasks.push(...list.getEntries()));
    observer.observe({ type: 'longtask' });
  `);
  await act();
  const { times, long } = /** @type {{times: number[], long: number}} */ (
    await page.evaluate(`
      window.countFrames = false;
      ({ times: frameTimes, long: longTasks.length });
    `)
  );
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
  gaps.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) =>
    shown(gaps[Math.min(gaps.length - 1, Math.floor(gaps.length * share))] ?? 0);
  return [gaps.length, at(0.5), at(0.99), at(1), long];
}
