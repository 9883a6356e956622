import { until } from '#libs/testing';
import type { Browser, Page } from 'playwright-core';
import type { System } from '../system/system.js';
import { isForEverybody, violations } from './accessibility.js';
import { inBrowser, signIn, type Visit, visit } from './browser.js';
import { openConsole, type OwnersConsole } from './owners-console.js';

inBrowser('documentation in the console', () => {
  let opened: OwnersConsole;
  let browser: Browser;
  let system: System;
  let owner: Visit;

  beforeAll(async () => {
    opened = await openConsole();
    ({ system, owner, browser } = opened);
  });
  afterAll(() => opened?.close());

  const open = (by: Visit, path: string): Promise<unknown> => opened.go(path, by);

  const focused = ({ page }: Visit): Promise<string | null> =>
    page.evaluate<string | null>('document.activeElement.getAttribute("aria-label")');
  const focusedId = (page: Page): Promise<string> => page.evaluate<string>('document.activeElement.id');

  it('opens beside its field by keyboard, leaves the field usable, and gives the focus back on Escape', async () => {
    const { page } = owner;
    await open(owner, '/schedules/new');
    const cron = page.getByLabel('When', { exact: true });
    await cron.focus();
    await page.keyboard.press('Tab');
    expect(await focused(owner)).toBe('Documentation: When');
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Documentation: When' });
    await drawer.getByRole('heading', { name: 'Schedules' }).waitFor();
    await drawer.getByText('at the times of a cron expression in a time zone').waitFor();
    expect(await focused(owner)).toBe('The section');
    await isForEverybody(owner, 'docs-drawer');

    await cron.fill('*/5 * * * *');
    await page
      .getByRole('listitem')
      .filter({ has: page.locator('time') })
      .first()
      .waitFor();
    await drawer.waitFor();
    await drawer.getByRole('link', { name: 'Whole page' }).focus();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(await focused(owner)).toBe('Documentation: When');
  });

  it('leads to the whole page in a tab of its own, at its section', async () => {
    await open(owner, '/schedules/new');
    await owner.page.getByRole('button', { name: 'Documentation: When' }).click();
    const [page] = await Promise.all([
      owner.page.context().waitForEvent('page'),
      owner.page.getByRole('link', { name: 'Whole page' }).click(),
    ]);
    await page.getByRole('heading', { name: 'Routing', level: 1 }).waitFor();
    await until('its section has the focus', async () => (await focusedId(page)) === 'doc-schedules');
    await page.close();
  });

  it('has pages with their sections, which lead to each other', async () => {
    const { page } = owner;
    await open(owner, '/docs?page=alerts');
    await page.getByRole('heading', { name: 'Alerts', level: 1 }).waitFor();
    await isForEverybody(owner, 'docs-page');
    await open(owner, '/docs?page=routing');
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Loops' }).click();
    await until('the section has the focus', async () => (await focusedId(page)) === 'doc-loops');
    await until('it is in sight', async () => {
      const box = await page.getByRole('heading', { name: 'Loops' }).boundingBox();
      return box !== null && box.y >= 0 && box.y < 800;
    });
    await page.getByRole('link', { name: 'as little as those' }).click();
    await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor();
    await open(owner, '/docs?page=nothing');
    await page.getByText('The documentation of this release has no page nothing.').waitFor();
    await page.getByRole('link', { name: 'All documentation' }).click();
    await page.getByRole('heading', { name: 'Gatehouse', level: 1 }).waitFor();
  });

  it('opens over a dialog, which stays open when the drawer is closed', async () => {
    const { page } = owner;
    await open(owner, '/integrations');
    await page.getByRole('article', { name: 'Webhook' }).first().getByRole('link').click();
    await page.getByRole('button', { name: 'Turn on' }).click();
    const form = page.getByRole('dialog', { name: 'Signature', exact: true });
    await form.getByRole('button', { name: 'Documentation: Scheme' }).click();
    const drawer = page.getByRole('dialog', { name: 'Documentation: Scheme' });
    await drawer.getByRole('heading', { name: 'Signatures of the built-in Webhook app' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('docs-over-dialog');
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    expect(await focused(owner)).toBe('Documentation: Scheme');
    await form.waitFor();
  });

  it('is there for a viewer, whose fields are disabled', async () => {
    const invited = { email: 'vera@example.com', name: 'Vera', role: 'viewer' };
    const { sign_in_link: link } = await system.api<{ sign_in_link: string }>('POST', '/api/v1/members', invited);
    const viewer = await visit(browser, {});
    await signIn(viewer, link);
    await open(viewer, '/schedules/new');
    expect(await viewer.page.getByLabel('When', { exact: true }).isDisabled()).toBe(true);
    await viewer.page.getByRole('button', { name: 'Documentation: When' }).press('Space');
    await viewer.page.getByRole('heading', { name: 'Schedules', exact: true }).waitFor();
    await viewer.close();
  });

  it('complains of nothing', () => {
    expect(owner.complaints.filter((complaint) => !complaint.includes('422'))).toEqual([]);
  });
});
