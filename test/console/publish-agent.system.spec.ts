import { until } from '#libs/testing';
import type { Browser, Page } from 'playwright-core';
import { startSmallSystem, type System } from '../system/system.js';
import { violations } from './accessibility.js';
import { inBrowser, launch, signIn, visit } from './browser.js';

inBrowser('publishing an agent in the console', () => {
  let browser: Browser;
  let system: System;
  let page: Page;
  let project: string;

  beforeAll(async () => {
    browser = await launch();
    system = await startSmallSystem();
    const person = await visit(browser, {});
    page = person.page;
    await signIn(person, await system.ownerLink());
    project = new URL(page.url()).pathname.split('/').slice(0, 3).join('/');
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
  });

  it('shows how others connect, and takes it back', async () => {
    const agent = { name: 'Order desk', instructions: 'Help.' };
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/agents', agent);
    await page.goto(`${system.origin('portal')}${project}/agents/${id}?tab=publish`);
    const form = page.getByRole('region', { name: 'Let others ask it' });
    await expect(form.getByLabel('Name for callers').inputValue()).resolves.toBe('order_desk');
    await form.getByLabel('What it is for').fill('Knows every order.');
    await form.getByRole('button', { name: 'Publish', exact: true }).click();
    const connect = page.getByRole('region', { name: 'How they connect' });
    await connect.waitFor();
    const card = await connect.getByRole('textbox', { name: 'Agent card' }).inputValue();
    expect(card).toMatch(new RegExp(`/a2a/${id}/\\.well-known/agent-card\\.json$`));
    const published = await fetch(new URL(new URL(card).pathname, system.origin('portal')));
    expect(await published.json()).toMatchObject({ name: 'Order desk', description: 'Knows every order.' });
    await connect.getByText('"mcpServers"').waitFor();
    expect(await violations(page)).toEqual([]);
    // A name that callers cannot use is refused at its field.
    const saved = page.getByRole('region', { name: 'Others may ask it' });
    await saved.getByLabel('Name for callers').fill('Order desk!');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await until(
      'the field says why',
      async () => (await saved.getByLabel('Name for callers').getAttribute('aria-invalid')) === 'true',
    );
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect(saved.getByLabel('Name for callers').inputValue()).resolves.toBe('order_desk');
    await saved.getByText('Published by Owner').waitFor();
    await expect(connect.getByRole('link', { name: 'Make a key' }).getAttribute('href')).resolves.toMatch(
      /settings\/keys\?add=true$/,
    );
    await page.getByRole('button', { name: 'Unpublish' }).click();
    await page.getByText(/Nobody can ask it from then on/).waitFor();
    await page.getByRole('button', { name: 'Unpublish' }).last().click();
    await page.getByRole('region', { name: 'Let others ask it' }).waitFor();
    await expect(system.api('GET', `/api/v1/agents/${id}/publication`)).rejects.toThrow(/404/);
  });
});
