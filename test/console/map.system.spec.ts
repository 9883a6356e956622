import type { System } from '../system/system.js';
import { post } from '../system/webhook.js';
import { violations } from './accessibility.js';
import { inBrowser, type Visit } from './browser.js';
import { openConsole, type OwnersConsole } from './owners-console.js';

/** What the test asks of an SVG path; it is compiled without the types of a browser. */
interface Curve {
  getPointAtLength: (at: number) => { matrixTransform: (by: unknown) => { x: number; y: number } };
  getScreenCTM: () => unknown;
}

inBrowser('the map of a project', () => {
  let opened: OwnersConsole;
  let system: System;
  let owner: Visit;
  let workflow: number;

  beforeAll(async () => {
    opened = await openConsole();
    ({ system, owner } = opened);
    const schema = { type: 'object', properties: { total: { type: 'integer' } }, required: ['total'] };
    const agent = { name: 'Clerk', instructions: 'reply: {"total": "much"}' };
    const { id: agent_id } = await system.api<{ id: string }>('POST', '/api/v1/agents', agent);
    const made = { name: 'Refunds', agent_id, output_schema: schema };
    ({ id: workflow } = await system.api<{ id: number }>('POST', '/api/v1/workflows', made));
    const rules = { app_id: system.appId, workflow_id: workflow, where: 'event.message == "refund"' };
    await system.api('POST', '/api/v1/triggers', rules);
    for (const text of ['hello', 'refund']) {
      const { id } = await post(system.webhookUrl, { text });
      await system.ended(id);
    }
  });
  afterAll(() => opened?.close());

  const open = async (): Promise<void> => {
    await opened.go('/map');
    await owner.page.getByRole('region', { name: 'Workflows' }).getByText('1 run').waitFor();
  };
  const node = (column: string, name: string) =>
    owner.page.getByRole('region', { name: column }).getByRole('listitem').filter({ hasText: name });

  it('has what is connected, with the counts of the day, and leads to its pages', async () => {
    const { page } = owner;
    await open();
    await node('Triggers', 'refund').getByText('1 message').waitFor();
    await node('Agents', 'Chief of Staff')
      .getByText(/turns?/)
      .waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('map-light');
    await node('Workflows', 'Refunds').getByRole('link', { name: 'Refunds' }).click();
    await page.waitForURL(`**/workflows/${workflow}`);
  });

  it('draws in red, and says in words, where messages failed', async () => {
    const { page } = owner;
    await open();
    await node('Agents', 'Clerk').getByText('1 failed').waitFor();
    expect(await page.locator('svg path[data-failed]').count()).toBe(1);
    await page.getByRole('region', { name: 'What failed' }).getByText('Refunds → Clerk: 1 of 1 failed').waitFor();
  });

  it('leads from each edge to the messages or runs that took it, by pointer and by keyboard', async () => {
    const { page } = owner;
    await open();
    await node('Workflows', 'Refunds').getByRole('link', { name: 'Refunds' }).focus();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Clerk (1, 1 failed)');
    expect(await violations(page)).toEqual([]);
    await owner.picture('map-edge');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/workflows/${workflow}?tab=runs&state=failed`);
    await page.getByRole('row').filter({ hasText: 'Failed' }).waitFor();
    await open();
    // Where its line leaves the App.
    const line = page.locator(`svg a[href*="events?app=${system.appId}&since=24h"] path`).last();
    const [x, y] = await line.evaluate((path: Curve) => {
      const { x: left, y: top } = path.getPointAtLength(8).matrixTransform(path.getScreenCTM());
      return [left, top] as const;
    });
    await page.mouse.click(x, y);
    await page.waitForURL(`**/events?app=${system.appId}&since=24h`);
    await page.getByRole('row').filter({ hasText: 'hello' }).waitFor();
  });

  it('is a list that says where each thing leads, to a screen reader and on a phone', async () => {
    const { page } = owner;
    await open();
    const leads = node('Workflows', 'Refunds').getByText('Leads to: Clerk (1, 1 failed)');
    await leads.getByRole('link', { name: 'Clerk (1, 1 failed)' }).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await leads.waitFor();
    expect(await page.locator('svg path[data-failed]').isVisible()).toBe(false);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(page)).toEqual([]);
    await owner.picture('map-390-dark');
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(await violations(page)).toEqual([]);
    await owner.picture('map-dark');
    await page.emulateMedia({ colorScheme: 'light' });
  });
});
