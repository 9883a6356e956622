import { setTimeout as pause } from 'node:timers/promises';
import { openBrowser } from './console/browser.mjs';
import { measurePages } from './console/lighthouse.mjs';
import { scrollEvents } from './console/scrolling.mjs';
import { signedApp, startGatehouse } from './gatehouse.mjs';
import { runLoad } from './processes.mjs';

const secret = 'a-signing-secret-for-the-benchmark';
const drainMs = 240_000;

/**
 * Measures the home page, the events and an App card with Lighthouse, signed in as the owner.
 * @param {{events: number, rounds: number}} options events: stored before; rounds: their median is reported
 */
export const benchLighthouse = ({ events, rounds }) =>
  inConsole(events, async ({ page, port, base, appId }) => {
    const pages = { Home: base, Events: `${base}/events`, 'an App card': `${base}/integrations/${appId}` };
    await page.goto('about:blank');
    const cdp = await page.context().newCDPSession(page);
    // A first visit, but signed in.
    const forget = () => cdp.send('Network.clearBrowserCache');
    return measurePages({ pages, port, rounds, forget });
  });

/** Scrolls the list of events from its first row to its last.  @param {{events: number}} options */
export const benchScrolling = ({ events }) =>
  inConsole(events, ({ page, base }) => scrollEvents(page, { url: `${base}/events`, events }));

/**
 * @typedef {object} Opened
 * @property {import('playwright-core').Page} page signed in as the owner
 * @property {number} port of the browser's debugger
 * @property {string} base URL of the project's pages
 * @property {string} appId the App that received the events
 */

/**
 * Opens the console of an installation with stored events in a real browser.
 * @param {number} events
 * @param {(opened: Opened) => Promise<string>} measure
 */
async function inConsole(events, measure) {
  const gatehouse = await startGatehouse({ name: 'console', without: ['python-runner'] });
  /** @type {Awaited<ReturnType<typeof openBrowser>> | null} */
  let browser = null;
  try {
    const app = await signedApp(gatehouse, { secret, replyAddress: null });
    const seconds = drainMs / 1_000;
    const load = await runLoad({ url: app.url, secret, connections: 16, seconds, count: events, bytes: 512 });
    await settled(gatehouse);
    process.stdout.write(`  ${load.accepted} events are stored\n`);
    browser = await openBrowser(gatehouse.dataDir);
    const page = await browser.signIn(await gatehouse.ownerLink());
    const project = new URL(page.url()).pathname.split('/').slice(0, 3).join('/');
    const base = `${gatehouse.urlOf('portal')}${project}`;
    return await measure({ page, port: browser.port, base, appId: app.appId });
  } finally {
    await browser?.close();
    await gatehouse.close();
  }
}

/**
 * Waits until nothing is in flight, so that the pages wait only for themselves.
 * @param {Pick<Awaited<ReturnType<typeof startGatehouse>>, 'api'>} gatehouse
 */
async function settled({ api }) {
  for (const until = Date.now() + drainMs; Date.now() < until; await pause(500)) {
    const open = await api('GET', '/events?outcome=open&limit=1');
    const working = await api('GET', '/events?result=working&limit=1');
    if (open.data.length + working.data.length === 0) return;
  }
  throw new Error('Events are still in flight.');
}
