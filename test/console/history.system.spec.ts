import type { Page } from 'playwright-core';
import type { System } from '../system/system.js';
import { violations } from './accessibility.js';
import { inBrowser, type Visit } from './browser.js';
import { openConsole, type OwnersConsole } from './owners-console.js';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

inBrowser('the history of rules in the console', () => {
  let opened: OwnersConsole;
  let system: System;
  let owner: Visit;
  let workflow: number;

  beforeAll(async () => {
    opened = await openConsole();
    ({ system, owner } = opened);
    const made = { name: 'Refunds', instructions: 'reply: one' };
    ({ id: workflow } = await system.api<{ id: number }>('POST', '/api/v1/workflows', made));
  });
  afterAll(() => opened?.close());

  const go = (path: string): Promise<unknown> => opened.go(path);
  const version = (number: number) => owner.page.getByRole('region', { name: `Version ${number}` });

  it('says who changed a workflow, shows the difference, and restores it', async () => {
    const { page } = owner;
    await go(`/workflows/${workflow}?tab=settings`);
    await page.getByRole('textbox', { name: 'Instructions' }).fill('reply: two');
    await button(page, 'Save').click();
    await page.getByText('Changed by Owner').waitFor();
    await page.getByRole('tab', { name: 'Versions' }).click();
    await version(2).getByText('Changed: instructions').waitFor();
    await version(2).getByRole('button', { name: 'Show what changed' }).click();
    await version(2).getByRole('table', { name: 'Against version 1' }).getByText('reply: two').waitFor();
    expect(await violations(page)).toEqual([]);
    await version(1).getByRole('button', { name: 'Restore' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore version 1' });
    await dialog.getByRole('table', { name: 'Against version 2' }).getByText('reply: one').waitFor();
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await version(3).getByText('Version 1, restored.').waitFor();
    await expect(system.api('GET', `/api/v1/workflows/${workflow}`)).resolves.toMatchObject({
      instructions: 'reply: one',
    });
  });

  it('refuses to restore over what somebody changed meanwhile', async () => {
    const { page } = owner;
    await go(`/workflows/${workflow}?tab=versions`);
    await version(1).getByRole('button', { name: 'Restore' }).click();
    const dialog = page.getByRole('dialog', { name: 'Restore version 1' });
    await dialog.waitFor();
    await system.api('PATCH', `/api/v1/workflows/${workflow}`, { instructions: 'theirs' });
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await dialog.getByText('Version 4 is in force by now').waitFor();
  });

  it('has the versions of a trigger and of a channel, and the audit log has their changes', async () => {
    const { page } = owner;
    const rules = { app_id: system.appId, workflow_id: workflow };
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/triggers', rules);
    await system.api('PATCH', `/api/v1/triggers/${id}`, { where: 'event.message == "refund"' });
    await go(`/workflows/${workflow}/triggers/${id}?tab=versions`);
    await version(2).getByText('Changed: where').waitFor();
    await version(1).getByRole('button', { name: 'Restore' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await version(3).getByText('Version 1, restored.').waitFor();
    await system.api('PATCH', `/api/v1/channels/${system.appId}`, { session_scope: 'contact' });
    await go(`/integrations/${system.appId}?tab=channel`);
    await button(page, 'Versions').click();
    await version(2).getByText('Changed: session_scope').waitFor();
    expect(await violations(page)).toEqual([]);
    await go('/operations/audit?action=trigger.changed');
    await page.getByRole('row').filter({ hasText: 'Trigger changed' }).first().click();
    await page.getByRole('dialog').getByText('event.message == "refund"').waitFor();
  });
});
