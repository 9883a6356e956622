import type { Browser, Page } from 'playwright-core';
import { type FakeModel, fakeModel } from '../../apps/engine/src/testing/fake-model.js';
import type { InstalledApp } from '../system/api.js';
import { startSmallSystem, type System } from '../system/system.js';
import { post } from '../system/webhook.js';
import { violations } from './accessibility.js';
import { inBrowser, launch, signIn, visit } from './browser.js';

inBrowser('agents that ask each other, in the console', () => {
  let browser: Browser;
  let system: System;
  let model: FakeModel;
  let page: Page;
  let project: string;

  beforeAll(async () => {
    [browser, model] = await Promise.all([launch(), fakeModel()]);
    system = await startSmallSystem({ MODEL_BASE_URL: model.url, MODEL_NAME: 'fake', MODEL_STREAMING: '0' });
    const person = await visit(browser, {});
    page = person.page;
    await signIn(person, await system.ownerLink());
    project = new URL(page.url()).pathname.split('/').slice(0, 3).join('/');
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
    await model?.close();
  });

  const open = (path: string): Promise<unknown> => page.goto(`${system.origin('portal')}${project}${path}`);
  const agent = (name: string) =>
    system.api<{ id: string }>('POST', '/api/v1/agents', { name, instructions: 'Help.' }).then(({ id }) => id);

  it('are granted on the page of the agent, and the turn of one stands within the call of the other', async () => {
    const [desk, stock] = [await agent('Desk'), await agent('Stock')];
    await open(`/agents/${desk}?tab=tools`);
    const granted = page.getByRole('region', { name: 'Agents that it may ask' });
    await granted.getByPlaceholder('Add an agent').click();
    await page.getByRole('option', { name: /Stock/ }).click();
    await granted.getByLabel('Description for the model').fill('Knows the stock.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    await expect(system.api('GET', `/api/v1/agents/${desk}`)).resolves.toMatchObject({
      agents: [{ agent_id: stock, name: 'ask_stock', description: 'Knows the stock.', grade: 'read' }],
    });
    expect(await violations(page)).toEqual([]);

    const app = await system.api<InstalledApp>('POST', '/api/v1/apps', { name: 'Door', kind: 'builtin' });
    await system.api('PUT', `/api/v1/channels/${app.id}`, { agent_id: desk });
    model.script([{ name: 'ask_stock', arguments: '{"message":"How many?"}' }], 'Seven.', 'There are seven.');
    const { id } = await post(app.webhook_url, { text: 'How many chairs are there?' });
    await open(`/events/${id}`);
    const inner = page.getByRole('region', { name: 'The turn of Stock' });
    await inner.getByText('Model call (fake)').waitFor();
    const steps = page.getByRole('list', { name: 'Steps' });
    expect(await steps.first().getByRole('region', { name: 'The turn of Stock' }).count()).toBe(1);
    expect(await violations(page)).toEqual([]);
  });
});
