import { shown, table } from '../table.mjs';

/** @typedef {import('playwright-core').Page} Page */

const rowPx = 44;
/** Two thirds of a second of rows in sight each second is reading fast; the other one is a flick of the finger held on. */
const speeds = { reading: 1_200, flying: 8_000 };

/**
 * Scrolls the list of events down to its last row, and back up, as the compositor of the browser does it for a finger, and
 * counts the frames it could show in time.
 * @param {Page} page
 * @param {{url: string, events: number}} options
 */
export async function scrollEvents(page, { url, events }) {
  await page.goto(url);
  await page.getByRole('row').nth(20).waitFor();
  const cdp = await page.context().newCDPSession(page);
  const rows = [];
  const measured = async (/** @type {string} */ name, /** @type {() => Promise<void>} */ scroll) => {
    const frames = await framesWhile(cdp, page, scroll);
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
      if (await page.getByText('That is all').isVisible()) return;
    }
  });
  await measured('flying back to the first', () => gesture(-events * rowPx, speeds.flying));
  await page.evaluate(`scrollTo({ top: ${(events * rowPx) / 2} })`);
  await measured('reading in the middle of all', () => gesture(12_000, speeds.reading));
  const drawn = await page.getByRole('row').count();
  const heapMb = await page.evaluate('performance.memory.usedJSHeapSize / 1e6');
  const head = ['10,000 events', 'frames', 'shown in time %', 'p50 ms', 'p99 ms', 'longest ms', 'tasks over 50 ms'];
  head[0] = `${events.toLocaleString('en')} events`;
  return `${table(head, rows)}\n${drawn} rows are drawn at a time; the page's JavaScript holds ${shown(Number(heapMb), 0)} MB.`;
}

/**
 * What the trace of the browser says of its frames, and how far apart the page's own were.
 * @param {import('playwright-core').CDPSession} cdp
 * @param {Page} page
 * @param {() => Promise<void>} act
 */
async function framesWhile(cdp, page, act) {
  /** @type {any[]} */
  const events = [];
  const collect = (/** @type {{value: any[]}} */ { value }) => void events.push(...value);
  cdp.on('Tracing.dataCollected', collect);
  const ended = new Promise((resolve) => cdp.once('Tracing.tracingComplete', resolve));
  const includedCategories = [
    'cc',
    'benchmark',
    'toplevel',
    'devtools.timeline',
    'disabled-by-default-devtools.timeline',
  ];
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories } });
  await page.evaluate(`
    window.frameTimes = [];
    window.countFrames = true;
    requestAnimationFrame(function next(at) { frameTimes.push(at); if (countFrames) requestAnimationFrame(next); });
  `);
  await act();
  const times = /** @type {number[]} */ (await page.evaluate('(window.countFrames = false, window.frameTimes)'));
  await cdp.send('Tracing.end');
  await ended;
  cdp.off('Tracing.dataCollected', collect);

  const states = events.map(({ args }) => args?.chrome_frame_reporter?.state).filter((state) => state !== undefined);
  const dropped = states.filter((state) => state === 'STATE_DROPPED').length;
  const wanted = states.filter((state) => state !== 'STATE_NO_UPDATE_DESIRED').length;
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
  gaps.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) =>
    shown(gaps[Math.min(gaps.length - 1, Math.floor(gaps.length * share))] ?? 0);
  const long = events.filter(({ name, dur }) => name === 'RunTask' && dur > 50_000).length;
  return [wanted, shown((100 * (wanted - dropped)) / Math.max(1, wanted)), at(0.5), at(0.99), at(1), long];
}
