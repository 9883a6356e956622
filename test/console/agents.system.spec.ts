import type { Browser, Page } from 'playwright-core';
import { startSmallSystem, type System } from '../system/system.js';
import { violations } from './accessibility.js';
import { launch, signIn, type Visit, visit } from './browser.js';
import { findChromium } from './chromium.js';

const chromium = findChromium();
const inBrowser = chromium ? describe : describe.skip;
if (!chromium) process.stderr.write('Left out: there is no Chromium and none could be installed.\n');

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

inBrowser('agents and workflows in the console', () => {
  let browser: Browser;
  let system: System;
  let owner: Visit;
  let project: string;

  beforeAll(async () => {
    [browser, system] = await Promise.all([launch(chromium ?? ''), startSmallSystem()]);
    owner = await visit(browser, {});
    await signIn(owner, await system.ownerLink());
    project = new URL(owner.page.url()).pathname.split('/').slice(0, 3).join('/');
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
  });

  const go = (path: string): Promise<unknown> => owner.page.goto(`${system.origin('portal')}${project}${path}`);

  it('declares what the runs of a workflow give, and shows it, or where it is missing', async () => {
    const { page } = owner;
    const { id } = await system.api<{ id: number }>('POST', '/api/v1/workflows', { name: 'Totals' });
    await go(`/workflows/${id}?tab=settings`);
    const editor = page.getByRole('textbox', { name: 'Output schema' });
    await editor.fill('{"type":');
    await button(page, 'Save').click();
    await page.getByRole('alert').filter({ hasText: 'not a JSON object yet' }).waitFor();
    await editor.fill('{"type":"array"}');
    await button(page, 'Save').click();
    await page.getByText('Its type must be "object"').waitFor();
    const schema = { type: 'object', properties: { total: { type: 'integer' } }, required: ['total'] };
    await editor.fill(JSON.stringify(schema));
    await button(page, 'Save').click();
    await page.getByText('Saved.').waitFor();
    await expect(system.api('GET', `/api/v1/workflows/${id}`)).resolves.toMatchObject({ output_schema: schema });

    const start = (): Promise<{ id: string; state: string }> =>
      system.api('POST', `/api/v1/workflows/${id}/runs?wait=30`, { message: 'how much?' });
    const good = await start();
    expect(good).toMatchObject({ state: 'succeeded', output: { total: 0 } });
    await go(`/runs/${good.id}`);
    await page.getByRole('group', { name: 'Output' }).getByText('total').waitFor();
    expect(await violations(page)).toEqual([]);

    await system.api('PATCH', `/api/v1/workflows/${id}`, { instructions: 'reply: {"total": "much"}' });
    const bad = await start();
    expect(bad).toMatchObject({
      state: 'failed',
      error: 'output_invalid',
      output_problems: [{ pointer: '/total', message: 'must be integer' }],
    });
    await go(`/runs/${bad.id}`);
    await page.getByRole('listitem').filter({ hasText: '/total must be integer' }).waitFor();
  });

  it('keeps changes of an agent as a draft, compares it, promotes it and rolls back', async () => {
    const { page } = owner;
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/agents', {
      name: 'Desk',
      instructions: 'reply: one',
    });
    const agent = (): Promise<unknown> => system.api('GET', `/api/v1/agents/${id}`);
    await go(`/agents/${id}`);
    await page.getByRole('textbox', { name: 'Instructions' }).fill('reply: two');
    await button(page, 'Save as a draft').click();
    const version = (number: number) => page.getByRole('region', { name: `Version ${number}` });
    await version(2).getByText('Draft').waitFor();
    await expect(agent()).resolves.toMatchObject({ version: 1, instructions: 'reply: one' });
    await version(2).getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('table', { name: 'Against version 1' }).getByText('reply: two').waitFor();
    expect(await violations(page)).toEqual([]);
    await version(2).getByRole('button', { name: 'Promote' }).click();
    const dialog = page.getByRole('dialog', { name: 'Put version 2 in force' });
    await dialog.getByRole('textbox', { name: 'Why' }).fill('it counts');
    await dialog.getByRole('button', { name: 'Promote' }).click();
    await version(2).getByText('In force', { exact: true }).waitFor();
    await version(2).getByText('it counts').waitFor();
    await expect(agent()).resolves.toMatchObject({ version: 2, instructions: 'reply: two' });
    await version(1).getByRole('button', { name: 'Roll back' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click();
    await version(1).getByText('In force', { exact: true }).waitFor();
    await expect(agent()).resolves.toMatchObject({ version: 1, instructions: 'reply: one' });
  });

  it('tries a draft and what is not saved, with rehearsed tools, and sends nothing', async () => {
    const { page } = owner;
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/agents', {
      name: 'Clerk',
      instructions: 'reply: Hello, {{message}}',
      tools: ['http_request'],
    });
    const order = 'call http_request {"method": "POST", "url": "https://orders.example/"}';
    await system.api('POST', `/api/v1/agents/${id}/versions`, { instructions: `${order}\nreply: Ordered.` });
    const events = (): Promise<{ data: unknown[] }> => system.api('GET', '/api/v1/events');
    const before = await events();
    await go(`/agents/${id}?tab=try`);
    const chat = page.getByRole('region', { name: 'Conversation' });
    await chat.getByText('Write to the agent').waitFor();
    expect(await violations(page)).toEqual([]);
    const ask = async (text: string): Promise<void> => {
      await chat.getByRole('textbox', { name: 'Your message' }).fill(text);
      await chat.getByRole('button', { name: 'Send' }).click();
    };
    await ask('Ada');
    await chat.getByText('Hello, Ada', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Instructions' }).fill('reply: Bye, {{message}}');
    await ask('Bob');
    await chat.getByText('Bye, Bob', { exact: true }).waitFor();
    await chat.getByText('Version 1, edited').waitFor();

    await page.getByRole('combobox', { name: 'Version' }).click();
    await page.getByRole('option', { name: 'Version 2, a draft' }).click();
    await ask('two chairs');
    await chat.getByText('Ordered.', { exact: true }).waitFor();
    await chat.getByText('http_request').first().click();
    await chat.getByText('rehearsed', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('try-agent');
    await page.reload();
    await chat.getByText('Hello, Ada', { exact: true }).waitFor();
    await chat.getByRole('button', { name: 'Start over' }).click();
    await chat.getByText('Write to the agent').waitFor();
    expect((await events()).data).toEqual(before.data);
    await expect(system.api('GET', `/api/v1/agents/${id}`)).resolves.toMatchObject({ version: 1 });
  });
});
