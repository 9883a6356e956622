import type { System } from '../system/system.js';
import { isForEverybody, violations } from './accessibility.js';
import { inBrowser, type Visit } from './browser.js';
import { openConsole, type OwnersConsole } from './owners-console.js';

inBrowser('templates in the console', () => {
  let opened: OwnersConsole;
  let system: System;
  let owner: Visit;

  beforeAll(async () => {
    opened = await openConsole();
    ({ system, owner } = opened);
  });
  afterAll(() => opened?.close());

  const button = (name: string) => owner.page.getByRole('button', { name, exact: true });
  const section = (name: string) => owner.page.getByRole('region', { name, exact: true });

  it('are offered on an empty Home, show what they make, make it, and their sample is answered', async () => {
    const { page } = owner;
    await section('Begin with a template')
      .getByRole('link', { name: /^Support inbox/ })
      .waitFor();
    await isForEverybody(owner, 'home-templates');
    await section('Begin with a template')
      .getByRole('link', { name: /^Support inbox/ })
      .click();

    const parts = section('What it makes').getByRole('listitem');
    await parts.nth(5).waitFor();
    expect(await parts.filter({ hasText: 'Not made yet' }).count()).toBe(0);
    expect(await button('Send: Where is my order?').getAttribute('aria-disabled')).toBe('true');
    await isForEverybody(owner, 'template-preview');

    await button('Fill this project').click();
    await page.getByText('6 things were made. Send a message').waitFor();
    await parts.filter({ hasText: 'Made' }).nth(5).waitFor();
    expect(await button('Fill this project').count()).toBe(0);
    const agent = parts.filter({ hasText: 'Answers customers' });
    expect(await agent.textContent()).toContain('find_referencesReads');
    await isForEverybody(owner, 'template-applied');

    await button('Send: Where is my order?').click();
    await page.waitForURL(/\/events\/evt_/);
    await page.getByText('Thank you for your message (order A-10423)').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('template-answer');
  });

  it('that are there say so, and Home offers none once something came', async () => {
    const { page } = owner;
    await page.goBack();
    await section('Try it').waitFor();
    await page.reload();
    await page.getByText('Everything is there').waitFor();
    await section('What it makes').getByRole('listitem').filter({ hasText: 'There' }).nth(5).waitFor();
    await page.getByRole('link', { name: /^Home/ }).click();
    await section('The first five minutes').waitFor();
    expect(await section('Begin with a template').count()).toBe(0);
  });

  it('that cannot be made whole say what failed, and are made whole once that is repaired', async () => {
    const { page } = owner;
    const taken = { name: 'Signing secret of Alerts', type: 'api_key', fields: { token: 'other' } };
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/credentials', taken);
    await opened.go('/templates');
    await page.getByRole('link', { name: /^Alert triage/ }).click();
    await button('Make what is missing').click();
    const failed = page.getByRole('alert').filter({ hasText: 'Alerts could not be made' });
    await failed.waitFor();
    await section('What it makes').getByRole('listitem').filter({ hasText: 'Failed' }).waitFor();
    await isForEverybody(owner, 'template-failed');
    await system.api('PATCH', `/api/v1/credentials/${id}`, { name: 'another one' });
    await button('Make what is missing').click();
    await page.getByText('Everything is there').waitFor();
    await failed.waitFor({ state: 'detached' });
    expect(owner.complaints).toEqual([]);
  });
});
