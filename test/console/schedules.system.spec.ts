import { until } from '#libs/testing';
import type { Browser } from 'playwright-core';
import { startSmallSystem, type System } from '../system/system.js';
import { violations } from './accessibility.js';
import { launch, signIn, type Visit, visit } from './browser.js';
import { findChromium } from './chromium.js';

const chromium = findChromium();
const inBrowser = chromium ? describe : describe.skip;

inBrowser('schedules in the console', () => {
  let browser: Browser;
  let system: System;
  let owner: Visit;

  beforeAll(async () => {
    [browser, system] = await Promise.all([launch(chromium ?? ''), startSmallSystem()]);
    await system.api('POST', '/api/v1/workflows', { name: 'Reports', instructions: 'reply: done' });
    owner = await visit(browser, { viewport: { width: 1280, height: 900 } });
    await signIn(owner, await system.ownerLink());
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
  });

  it('are made with their next ten times in sight, and show how each time ended', async () => {
    const { page } = owner;
    const main = page.getByRole('navigation', { name: 'Main' });
    await main.getByRole('link', { name: 'Workflows' }).click();
    await main.getByRole('link', { name: 'Schedules' }).click();
    await page.getByRole('button', { name: 'New schedule' }).first().click();
    await page.getByLabel('Name').fill('Morning report');
    const cron = page.getByLabel('When', { exact: true });
    await cron.fill('0 25 * * *');
    await page.getByText('Invalid value for hour: 25').first().waitFor();
    await cron.fill('* * * * *');
    const times = page.getByRole('listitem').filter({ has: page.locator('time') });
    await until('the next ten are shown', async () => (await times.count()) === 10);
    await page
      .getByRole('combobox', { name: 'Workflow' })
      .or(page.getByLabel('Workflow', { exact: true }))
      .first()
      .click();
    await page.getByRole('option', { name: 'Reports' }).click();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Morning report', level: 1 }).waitFor();
    await page.getByText('ran', { exact: true }).first().waitFor({ timeout: 120_000 });
    expect(await violations(page)).toEqual([]);
    await owner.picture('schedule');
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('It is off: nothing starts.').waitFor();
  });
});
