import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { freePort } from '../../scripts/launcher/ports.mjs';

const installed = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium-headless-shell',
];

/**
 * A browser whose tabs share one person's session. Other programs can reach it by its debugging port.
 * @param {string} dataDir holds its profile
 */
export async function openBrowser(dataDir) {
  const executablePath = installed.find((path) => existsSync(path));
  if (!executablePath) throw new Error('There is no Chromium: install it (apt-get install chromium).');
  const port = await freePort();
  const context = await chromium.launchPersistentContext(join(dataDir, 'browser'), {
    executablePath,
    viewport: { width: 1280, height: 800 },
    // Chromium's own sandbox needs privileges that are missing in containers and as root.
    args: ['--no-sandbox', `--remote-debugging-port=${port}`],
  });
  return {
    port,
    /** @param {string} link that signs in once */
    async signIn(link) {
      const page = await context.newPage();
      await page.goto(link);
      await page.waitForURL(/\/p\/prj_/);
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      return page;
    },
    close: () => context.close(),
  };
}
