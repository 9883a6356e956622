import { patienceMs } from '#libs/testing';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findChromium } from './chromium.js';

/** Screenshots of what tests saw; not in the repository. */
const pictures = '.data/screenshots';

export interface Visit {
  page: Page;
  /** Errors of the browser with where they arose, CSP violations among them. */
  complaints: string[];
  picture(name: string): Promise<void>;
  close(): Promise<void>;
}

const executablePath = findChromium();
if (executablePath === null) process.stderr.write('Left out: there is no Chromium and none could be installed.\n');

/** `describe`, where there is a Chromium. */
export const inBrowser = executablePath === null ? describe.skip : describe;

/** For tests that are `inBrowser`. */
export const launch = (): Promise<Browser> =>
  // Chromium's own sandbox needs what containers and root do not have.
  chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });

/** A person with their own browser: no cookie is shared with another visit. */
export async function visit(browser: Browser, options: BrowserContextOptions): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(patienceMs);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A failed request's text does not say which one.
    if (message.type() === 'error') complaints.push(`${message.text()} (${message.location().url})`);
  });
  return {
    page,
    complaints,
    picture: async (name) => {
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
    },
    close: () => context.close(),
  };
}

/**
 * Opens the console with a sign-in link, which works once.
 * @param link `system.ownerLink()`, or a member's `sign_in_link`
 */
export async function signIn({ page }: Visit, link: string): Promise<void> {
  await page.goto(link);
  await page.waitForURL(/\/p\/prj_/);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}
