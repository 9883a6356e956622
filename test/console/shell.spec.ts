import type { Browser } from 'playwright-core';
import { violations } from './accessibility.js';
import { launch, visit } from './browser.js';
import { findChromium } from './chromium.js';
import { type ConsolePages, openConsolePages } from './console-pages.js';

const chromium = findChromium();
const inBrowser = chromium ? describe : describe.skip;
if (!chromium) process.stderr.write('Left out: there is no Chromium and none could be installed.\n');

const session = {
  member: { id: 'mem_1', name: 'Ada Owner', email: 'ada@example.com', role: 'owner' },
  organization: { id: 'org_1', name: 'Example' },
  organizations: [{ id: 'org_1', name: 'Example', role: 'owner' }],
  projects: [{ id: 'prj_1', name: 'First' }],
  scopes: ['admin'],
  csrf_token: 'token',
  expires_at: '2099-01-01T00:00:00Z',
};
const empty = { data: [], next_cursor: null };

inBrowser('the shell of the console', () => {
  let browser: Browser;
  let pages: ConsolePages;

  beforeAll(async () => {
    browser = await launch(chromium ?? '');
    pages = await openConsolePages({
      '/api/v1/session': session,
      '/api/v1/sign-in/methods': { oidc: [{ id: 'work', name: 'Work' }], link: true },
      '/api/v1/apps': empty,
      '/api/v1/events': empty,
      '/api/v1/events/dead-letters': empty,
    });
  });

  afterAll(async () => {
    await browser?.close();
    await pages?.close();
  });

  it.each(['light', 'dark'] as const)(
    'loads under its policy, is walked by the keyboard and is clear to all, in %s',
    async (colorScheme) => {
      const person = await visit(browser, { colorScheme });
      const { page } = person;
      await page.goto(pages.origin);
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
      await page.getByRole('link', { name: 'Events' }).first().focus();
      await page.keyboard.press('Enter');
      await page.getByText('No events yet').waitFor();
      expect(page.url()).toBe(`${pages.origin}/p/prj_1/events`);
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Control+k');
      await page.getByRole('textbox', { name: 'Search or go to …' }).fill('home');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      // The stream is none here: the test's API refuses it.
      expect(person.complaints.filter((complaint) => !complaint.includes('401'))).toEqual([]);
      await person.picture(`shell-${colorScheme}`);
      await person.close();
    },
  );

  it('offers the ways to sign in at 360 px, without scrolling sideways', async () => {
    const person = await visit(browser, { viewport: { width: 360, height: 740 } });
    const { page } = person;
    await page.goto(`${pages.origin}/sign-in?error=link_used_or_expired`);
    await page.getByRole('link', { name: 'Continue with Work' }).waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('This link was used already');
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await violations(page)).toEqual([]);
    await person.close();
  });
});
