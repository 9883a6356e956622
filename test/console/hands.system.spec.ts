import { until } from '#libs/testing';
import { readFileSync } from 'node:fs';
import type { System } from '../system/system.js';
import { post } from '../system/webhook.js';
import { violations } from './accessibility.js';
import { inBrowser, type Visit } from './browser.js';
import { openConsole, type OwnersConsole } from './owners-console.js';

const count = 120;

inBrowser('lists in the hands of whoever works with them', () => {
  let opened: OwnersConsole;
  let system: System;
  let owner: Visit;
  let workflow: number;

  beforeAll(async () => {
    opened = await openConsole({ acceptDownloads: true });
    ({ system, owner } = opened);
    ({ id: workflow } = await system.api<{ id: number }>('POST', '/api/v1/workflows', { name: 'Refunds' }));
    // Messages that start no turn: only the list matters here.
    await system.api('PATCH', `/api/v1/channels/${system.appId}`, { route_policy: 'triggers' });
    const sent = Array.from({ length: count }, (_, n) => post(system.webhookUrl, { text: `=refund ${n}, "please"` }));
    const events = await Promise.all(sent);
    for (const { id } of events) await system.ended(id);
  });
  afterAll(() => opened?.close());

  const go = (path: string): Promise<unknown> => opened.go(path);
  const saved = async (name: string): Promise<{ file: string; text: string }> => {
    const { page } = owner;
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name }).click();
    const file = await download;
    return { file: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
  };

  it('saves all of a list, also what is not loaded, as CSV that no spreadsheet runs', async () => {
    const { page } = owner;
    await go('/events');
    await page.getByRole('row').filter({ hasText: '=refund' }).first().waitFor();
    const { file, text } = await saved('Save all as CSV');
    expect(file).toMatch(/^events-\d{4}-\d\d-\d\d\.csv$/);
    const [head, ...rows] = text.trimEnd().split('\r\n');
    expect(head).toMatch(/^id,app_id,received_at/);
    expect(rows).toHaveLength(count);
    expect(rows.every((row) => row.includes(`"'=refund `) && row.includes('""please""'))).toBe(true);
    expect(await violations(page)).toEqual([]);
    await owner.picture('events-export');
  });

  it('saves a filtered list as JSON', async () => {
    await go('/events?text=refund+7,');
    await owner.page.getByRole('row').filter({ hasText: '=refund 7,' }).waitFor();
    const { file, text } = await saved('Save all as JSON');
    expect(file).toMatch(/\.json$/);
    expect(JSON.parse(text)).toMatchObject([{ text: '=refund 7, "please"' }]);
  });

  it('saves filters as a view for everybody, opens them again, and deletes the view', async () => {
    const { page } = owner;
    await go('/events?text=refund+7,');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save these filters' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save these filters' });
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Refund seven');
    await dialog.getByRole('checkbox', { name: 'For everybody in this project' }).click();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await go('/events');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Delete Refund seven' }).waitFor();
    await page.getByRole('menuitem', { name: /^Refund seven/ }).click();
    await page.waitForURL(/text=refund/);
    await page.getByRole('row').filter({ hasText: '=refund 7,' }).waitFor();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Delete Refund seven' }).click();
    await page.getByRole('menuitem', { name: 'Delete Refund seven' }).waitFor({ state: 'detached' });
  });

  it('has what can be done on the open page in ⌘K', async () => {
    const { page } = owner;
    await go(`/workflows/${workflow}`);
    await page.getByRole('button', { name: 'Start a run' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Search or go to' }).fill('versions');
    await page.getByRole('button', { name: 'Versions', exact: true }).waitFor();
    await owner.picture('palette-here');
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Version 1' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Search or go to' }).fill('start a run');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Start a run by hand' }).waitFor();
  });

  it('finds messages by their text in ⌘K, and leads to all of them', async () => {
    const { page } = owner;
    await go('/workflows');
    await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.keyboard.press('Control+k');
    const box = page.getByRole('textbox', { name: 'Search or go to' });
    await box.pressSequentially('REFUND 77,', { delay: 20 });
    const message = page.getByRole('button', { name: /^=refund 77, "please"/ });
    await message.waitFor();
    // Ten keys ask once on a quiet machine, and for no more than is shown.
    const searches = asked.filter((url) => url.includes('/events?') && url.includes('text='));
    expect(searches.length).toBeLessThan(5);
    expect(searches.at(-1)).toMatch(/text=REFUND(%20|\+)77%2C.*limit=6/);
    await owner.picture('palette-messages');
    await message.click();
    await page.waitForURL(/events\/evt_/);
    await page.getByText('=refund 77, "please"').first().waitFor();
    await page.keyboard.press('Control+k');
    await box.fill('refund 11');
    await page.getByRole('button', { name: 'All messages with “refund 11”' }).click();
    await page.waitForURL(/events\?text=refund/);
    await page.getByRole('row').filter({ hasText: '=refund 11' }).first().waitFor();
  });

  it('finds no message of another project in ⌘K', async () => {
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/projects', { name: 'Elsewhere' });
    const { page } = owner;
    await page.goto(`${system.origin('portal')}/p/${id}/workflows`);
    await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Search or go to' }).fill('refund 77');
    await page.getByRole('button', { name: 'All messages with “refund 77”' }).waitFor();
    expect(await page.getByRole('button', { name: /^=refund/ }).count()).toBe(0);
  });

  it('shows what a row is about beside the list, and the next one by the arrow keys', async () => {
    const { page } = owner;
    await go('/events?text=refund+11');
    const rows = page.getByRole('row').filter({ hasText: '=refund 11' });
    await rows.nth(10).waitFor();
    const textOf = async (row: number): Promise<string> =>
      /=refund \d+/.exec((await rows.nth(row).textContent()) ?? '')?.[0] ?? '';
    const [first, second] = [await textOf(0), await textOf(1)];
    const glance = page.getByRole('region', { name: 'At a glance' });
    await rows.first().focus();
    await page.keyboard.press('Space');
    await glance.getByText(first).waitFor();
    await page.keyboard.press('ArrowDown');
    await glance.getByText(second).waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('events-peek');
    await page.setViewportSize({ width: 390, height: 844 });
    await glance.getByText(second).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await violations(page)).toEqual([]);
    await owner.picture('events-peek-390');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press('Escape');
    await glance.waitFor({ state: 'detached' });
    await page.keyboard.press('p');
    await glance.getByRole('button', { name: 'Close the glance' }).click();
    await glance.waitFor({ state: 'detached' });
    const hasFocus = async (row: number): Promise<boolean> =>
      (await page.evaluate<string>('String(document.activeElement?.dataset.index)')) === String(row);
    await until('its row has the focus again', () => hasFocus(1));
    await page.keyboard.press('ArrowDown');
    await until('the arrow keys go on from there', () => hasFocus(2));
    await page.keyboard.press('p');
    await glance.getByRole('group', { name: 'What it is about' }).focus();
    await page.keyboard.press('Escape');
    await until('its row has the focus again', () => hasFocus(2));
    await page.keyboard.press('p');
    await page.getByRole('textbox', { name: 'Text' }).focus();
    await page.keyboard.press('Escape');
    await glance.waitFor({ state: 'detached' });
    expect(await hasFocus(2)).toBe(false);
    await rows.nth(2).focus();
    await page.keyboard.press('p');
    await glance.getByRole('link', { name: 'Open' }).click();
    await page.waitForURL(/events\/evt_/);
  });

  it('has the parts of the settings and of the operations in ⌘K, by what they are for', async () => {
    const { page } = owner;
    await go('/events');
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    const box = page.getByRole('textbox', { name: 'Search or go to' });
    await box.fill('programs call the API');
    await page.getByRole('button', { name: /^API keys/ }).click();
    await page.getByRole('tab', { name: 'API keys', selected: true }).waitFor();
    await page.keyboard.press('Control+k');
    await box.fill('audit log');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/operations/audit');
  });
});
