import type { Browser } from 'playwright-core';
import { startSmallSystem, type System } from '../system/system.js';
import { violations } from './accessibility.js';
import { inBrowser, launch, signIn, visit } from './browser.js';

inBrowser('the shell of the console', () => {
  let browser: Browser;
  let system: System;

  beforeAll(async () => {
    browser = await launch();
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

  it('has every entry of the navigation in the height of a laptop, and further pages below the open one', async () => {
    const person = await visit(browser, { viewport: { width: 1280, height: 800 } });
    const { page } = person;
    await signIn(person, await system.ownerLink());
    const main = page.getByRole('navigation', { name: 'Main' });
    const list = "document.querySelector('nav[aria-label=Main]')";
    const over = () => page.evaluate<number>(`${list}.scrollHeight - ${list}.clientHeight`);
    expect(await over()).toBe(0);
    await main.getByRole('link', { name: 'Settings' }).waitFor();
    expect(await main.getByRole('link', { name: 'MCP servers' }).count()).toBe(0);
    await main.getByRole('link', { name: 'Tools' }).click();
    await main.getByRole('link', { name: 'MCP servers' }).click();
    await page.getByRole('heading', { name: 'MCP servers', level: 1 }).waitFor();
    await main.getByRole('link', { name: 'Skills' }).waitFor();
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(await over()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await person.picture('navigation-900');
    await person.close();
  });

  it('opens its first tab where the URL names one that does not exist', async () => {
    const person = await visit(browser, {});
    const { page } = person;
    await signIn(person, await system.ownerLink());
    const project = new URL(page.url()).pathname.split('/').slice(0, 3).join('/');
    for (const [path, first] of [
      [`/integrations/${system.appId}?tab=nowhere`, 'Overview'],
      ['/operations/nowhere', 'Problems'],
      ['/settings/nowhere', 'Members'],
      ['/knowledge?tab=nowhere', 'Documents'],
    ] as const) {
      await page.goto(`${system.origin('portal')}${project}${path}`);
      await page.getByRole('tab', { name: first, selected: true }).waitFor();
      await page.getByRole('tabpanel').waitFor();
    }
    await person.close();
  });

  it('asks before it deletes with a button that can be read', async () => {
    const agent = await system.api<{ id: string }>('POST', '/api/v1/agents', { name: 'Short-lived', instructions: '' });
    for (const colorScheme of ['light', 'dark'] as const) {
      const person = await visit(browser, { colorScheme });
      const { page } = person;
      await signIn(person, await system.ownerLink());
      const project = new URL(page.url()).pathname.split('/').slice(0, 3).join('/');
      await page.goto(`${system.origin('portal')}${project}/agents/${agent.id}`);
      await page.getByRole('button', { name: 'Delete the agent' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete the agent' }).waitFor();
      expect(await violations(page)).toEqual([]);
      await person.picture(`red-${colorScheme}`);
      await person.close();
    }
  });

  it('offers the Webhook App to a project that has none', async () => {
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/projects', { name: 'Second' });
    const person = await visit(browser, {});
    const { page } = person;
    await signIn(person, await system.ownerLink());
    await page.goto(`${system.origin('portal')}/p/${id}`);
    await page.getByRole('button', { name: 'Add the Webhook App' }).click();
    await page.getByRole('button', { name: 'Send a sample' }).click();
    await page.getByText('Hello').first().waitFor();
    await person.close();
  });

  it('says that Gatehouse does not answer where a page could not be fetched, and opens it later', async () => {
    const person = await visit(browser, {});
    const { page } = person;
    await signIn(person, await system.ownerLink());
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('heading', { name: 'Gatehouse does not answer' }).waitFor();
    await person.picture('away');
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await person.close();
  });

  it('says so too where the page is loaded anew while Gatehouse is away, and opens it later', async () => {
    const person = await visit(browser, {});
    const { page } = person;
    await signIn(person, await system.ownerLink());
    await page.evaluate('navigator.serviceWorker.ready.then(() => null)');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Usage' }).click();
    await page.reload();
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await system.kill('portal');
    await page.reload();
    await page.getByRole('heading', { name: 'Gatehouse does not answer' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await person.picture('away-anew');
    await system.restart('portal');
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    await person.close();
  });
});
