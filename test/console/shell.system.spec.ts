import type { Browser } from 'playwright-core';
import { startSmallSystem, type System } from '../system/system.js';
import { violations } from './accessibility.js';
import { launch, signIn, visit } from './browser.js';
import { findChromium } from './chromium.js';

const chromium = findChromium();
const inBrowser = chromium ? describe : describe.skip;
if (!chromium) process.stderr.write('Left out: there is no Chromium and none could be installed.\n');

inBrowser('the shell of the console', () => {
  let browser: Browser;
  let system: System;

  beforeAll(async () => {
    browser = await launch(chromium ?? '');
    system = await startSmallSystem();
  });

  afterAll(async () => {
    await browser?.close();
    await system?.stop();
  });

  it.each(['light', 'dark'] as const)(
    'opens with a link, violates no CSP, works by keyboard and is accessible, in %s',
    async (colorScheme) => {
      const person = await visit(browser, { colorScheme });
      const { page } = person;
      await signIn(person, await system.ownerLink());
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
      await page.getByRole('link', { name: 'Events' }).first().focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
      await page.getByText('No events yet').waitFor();
      expect(new URL(page.url()).pathname).toMatch(/^\/p\/prj_\w+\/events$/);
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press('Control+k');
      await page.getByRole('textbox', { name: 'Search or go to …' }).fill('home');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      expect(person.complaints).toEqual([]);
      await person.picture(`shell-${colorScheme}`);
      await person.close();
    },
  );

  it.each(['//[', '/\\evil.example', '/\t/evil.example', '/.//evil.example', '//evil.example', '/api/v1/session', '['])(
    'opens with a link that would return to %j, in the console',
    async (wanted) => {
      const person = await visit(browser, {});
      const link = new URL(await system.ownerLink());
      link.searchParams.set('return_to', wanted);
      await person.page.goto(link.href);
      await person.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      expect(new URL(person.page.url()).origin).toBe(system.origin('portal'));
      expect(person.complaints).toEqual([]);
      await person.close();
    },
  );

  it('signs out, and accepts a link only once, at 360 px without scrolling sideways', async () => {
    const person = await visit(browser, { viewport: { width: 360, height: 740 } });
    const { page } = person;
    const link = await system.ownerLink();
    await page.goto(link);
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Open the navigation' }).click();
    await page.getByRole('button', { name: 'Your account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('Open the sign-in link').waitFor();
    await page.goto(`${system.origin('portal')}/`);
    await page.getByText('Open the sign-in link').waitFor();
    await page.goto(link);
    await page.getByRole('alert').getByText('This link was already used').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await violations(page)).toEqual([]);
    await person.close();
  });
});
