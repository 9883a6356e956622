import type { Page } from 'playwright-core';
import { fakeModel } from '../../apps/engine/src/testing/fake-model.js';
import type { System } from '../system/system.js';
import { post } from '../system/webhook.js';
import { violations } from './accessibility.js';
import { inBrowser, type Visit } from './browser.js';
import { openConsole, type OwnersConsole } from './owners-console.js';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

inBrowser('agents and workflows in the console', () => {
  let opened: OwnersConsole;
  let system: System;
  let owner: Visit;

  beforeAll(async () => {
    opened = await openConsole();
    ({ system, owner } = opened);
  });
  afterAll(() => opened?.close());

  const go = (path: string): Promise<unknown> => opened.go(path);

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
    await version(2).getByRole('button', { name: 'Show what changed' }).click();
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

  it('compares a draft with the version in force on the last conversations', async () => {
    const { page } = owner;
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/agents', {
      name: 'Desk of orders',
      instructions: 'reply: Your order is on its way, and it will be there on Monday.',
    });
    await system.api('POST', `/api/v1/agents/${id}/versions`, { instructions: 'reply: On Monday.' });
    await system.api('PATCH', `/api/v1/channels/${system.appId}`, { agent_id: id });
    for (const [thread_id, text] of Object.entries({ one: 'When will it come?', two: 'And the other one?' })) {
      const { id: event } = await post(system.webhookUrl, { text, thread_id });
      await system.ended(event);
    }
    await go(`/agents/${id}?tab=compare`);
    await page.getByText('No comparison yet').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'An answer contains' }).fill('on its way');
    await button(page, 'Compare').click();
    const totals = page.getByRole('table', { name: 'Version 1 against 2' });
    await page.getByText('Ended', { exact: true }).waitFor();
    await totals.getByRole('row', { name: 'Rules that held 2 of 2 0 of 2' }).waitFor();
    const first = page.getByRole('article', { name: 'Message 1' });
    await first.getByText('And the other one?').waitFor();
    await first.getByRole('group', { name: 'Version 1' }).getByText('Your order is on its way').waitFor();
    const draft = first.getByRole('group', { name: 'Version 2' });
    await draft.getByText('On Monday.', { exact: true }).waitFor();
    await draft.getByText('does not contain "on its way"').waitFor();
    await first.getByText('The judge prefers version').waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('comparison');
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await owner.picture('comparison-phone');
    await page.setViewportSize({ width: 1_280, height: 800 });
    await page.getByRole('textbox', { name: 'Name of the set' }).fill('Orders');
    await button(page, 'Keep as a set').click();
    await page.getByText('Kept as Orders.').waitFor();
    await page.getByRole('link', { name: 'All comparisons' }).click();
    await page.getByRole('link', { name: 'Version 1 against 2' }).waitFor();
    const set = page.getByRole('group', { name: 'Orders' });
    await set.getByText('2 messages, 1 rule').waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('comparisons');
    await page.getByRole('combobox', { name: 'Messages' }).click();
    await page.getByRole('option', { name: 'Orders, 2 messages' }).click();
    await page.getByText('Without rules here, those of the set are checked.').waitFor();
    await button(page, 'Compare').click();
    await page.getByText('Ended', { exact: true }).waitFor();
    await totals.getByRole('row', { name: 'Rules that held 2 of 2 0 of 2' }).waitFor();
    await page.getByRole('link', { name: 'All comparisons' }).click();
    await set.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await set.waitFor({ state: 'hidden' });
    await expect(system.api('GET', `/api/v1/agents/${id}`)).resolves.toMatchObject({ version: 1 });
  });

  it('shows beside a turn which model answered, and why the first one of its chain did not', async () => {
    const model = await fakeModel();
    try {
      const { page } = owner;
      const { id: key } = await system.api<{ id: string }>('POST', '/api/v1/credentials', {
        name: 'Key of the line',
        type: 'api_key',
        fields: { token: 'sk-line-1234567890' },
      });
      const provider = { name: 'line', kind: 'openai', base_url: model.url, credential_ids: [key] };
      await system.api('POST', '/api/v1/providers', provider);
      model.answering((asked) =>
        asked.model === 'large'
          ? (response) => response.writeHead(529).end(JSON.stringify({ error: { message: 'Overloaded' } }))
          : 'Here I am.',
      );
      const { id } = await system.api<{ id: string }>('POST', '/api/v1/agents', {
        name: 'On the line',
        instructions: 'Answer.',
        model: 'line/large',
        fallback_model: 'line/small',
      });
      await system.api('PATCH', `/api/v1/channels/${system.appId}`, { agent_id: id });
      const { id: event } = await post(system.webhookUrl, { text: 'Are you there?', thread_id: 'line' });
      await system.ended(event);
      await go(`/events/${event}`);
      const turn = page.getByRole('button', { name: /With line\/small/ });
      await turn.getByText('line/large with the key Key of the line was passed over').waitFor();
      await turn.getByText('Overloaded').waitFor();
      await page.getByRole('list', { name: 'Steps' }).getByText('was passed over').waitFor();
      expect(await violations(page)).toEqual([]);
      await owner.picture('passed-over');
      const { data } = await system.api<{ data: { id: string }[] }>('GET', '/api/v1/projects');
      await system.api('PUT', `/api/v1/projects/${data[0]?.id}/limits`, { day_tokens: 60, month_tokens: 900 });
      await go('/usage');
      const budgets = page.getByRole('region', { name: 'Budgets', exact: true });
      await budgets.getByRole('progressbar', { name: /^This project, today: \d+ of 60 tokens/ }).waitFor();
      await budgets.getByRole('progressbar', { name: /^This project, this month: \d+ of 900 tokens/ }).waitFor();
      expect(await violations(page)).toEqual([]);
      await owner.picture('usage-budgets');
    } finally {
      await model.close();
    }
  });
});
