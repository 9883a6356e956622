import { until } from '#libs/testing';
import type { System } from '../system/system.js';
import { violations } from './accessibility.js';
import { inBrowser, type Visit } from './browser.js';
import { openConsole, type OwnersConsole } from './owners-console.js';

inBrowser('schedules in the console', () => {
  let opened: OwnersConsole;
  let system: System;
  let owner: Visit;

  beforeAll(async () => {
    opened = await openConsole({ viewport: { width: 1280, height: 900 } });
    ({ system, owner } = opened);
    await system.api('POST', '/api/v1/workflows', { name: 'Reports', instructions: 'reply: done' });
  });
  afterAll(() => opened?.close());

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
