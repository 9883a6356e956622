import { until } from '#libs/testing';
import type { Browser } from 'playwright-core';
import { fakeEmbeddings, type FakeEmbeddings } from '../../apps/engine/src/testing/fake-embeddings.js';
import { startSmallSystem, type System } from '../system/system.js';
import { violations } from './accessibility.js';
import { inBrowser, launch, signIn, type Visit, visit } from './browser.js';

inBrowser('knowledge in the console', () => {
  let browser: Browser;
  let system: System;
  let owner: Visit;
  let endpoint: FakeEmbeddings;

  beforeAll(async () => {
    [browser, system, endpoint] = await Promise.all([
      launch(),
      startSmallSystem({ SWEEP_EVERY_MS: '100', EMBEDDING_QUERY_MS: '500' }),
      fakeEmbeddings([['refund', 'money back'], ['parcel']]),
    ]);
    const body = { name: 'vectors', kind: 'openai-compatible', base_url: endpoint.url };
    await system.api('POST', '/api/v1/providers', body);
    await system.api('POST', '/api/v1/knowledge', { title: 'Returns', text: 'We refund it.' });
    owner = await visit(browser, { viewport: { width: 1280, height: 900 } });
    await signIn(owner, await system.ownerLink());
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
    await endpoint?.close();
  });

  it('is found by meaning after a model is chosen, and says when that model is away', async () => {
    const { page } = owner;
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Knowledge' }).click();
    await page.getByRole('tab', { name: 'Meaning' }).click();
    const go = page.getByRole('button', { name: 'Use this model' });
    expect(await go.isDisabled()).toBe(true);
    await page.getByLabel('Model', { exact: true }).fill('fake');
    expect(await violations(page)).toEqual([]);
    await owner.picture('meaning-choose');
    endpoint.failsWith(404);
    await go.click();
    await page.getByText('there is no such model').waitFor();
    endpoint.failsWith(null);
    await go.click();
    await page.getByText('All documents have their vectors').waitFor();
    await page.getByText('1 of 1').waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('meaning-ready');
    await page.setViewportSize({ width: 390, height: 844 });
    await owner.picture('meaning-phone');
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('tab', { name: 'Search' }).click();
    await page.getByLabel('Search the knowledge').fill('money back');
    await page.getByRole('link', { name: /Returns/ }).waitFor();
    endpoint.failsWith(503);
    await page.getByLabel('Search the knowledge').fill('refund');
    await page.getByText(/words alone/).waitFor();
    await page.getByRole('link', { name: /Returns/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('meaning-away');
    await system.api('POST', '/api/v1/knowledge', { title: 'Delivery', text: 'A parcel takes two days.' });
    await page.getByRole('tab', { name: 'Meaning' }).click();
    await page.getByText('No vectors are made at the moment. Documents are found by words.').waitFor();
    await owner.picture('meaning-failing');
    endpoint.failsWith(null);
    await page.getByText('2 of 2').waitFor();
    await page.getByRole('button', { name: 'Turn it off' }).click();
    await page.getByRole('dialog').getByRole('button').last().click();
    await until('it is off', async () => (await page.getByText('Documents with vectors').count()) === 0);
  });

  it('is for some people alone where its page says so', async () => {
    const { page } = owner;
    await page.getByRole('tab', { name: 'Documents' }).click();
    await page.getByRole('link', { name: 'Returns' }).click();
    await page.getByRole('heading', { name: 'Returns', level: 1 }).waitFor();
    await page.getByLabel('Who may get answers from it', { exact: true }).first().click();
    await page.getByRole('option', { name: /Only some people/ }).click();
    const readers = page.getByRole('combobox', { name: 'People and groups' });
    await readers.fill('finance');
    await readers.press('Enter');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/neither the address of a person nor group/).waitFor();
    await readers.press('Backspace');
    await readers.fill('group:finance');
    await readers.press('Enter');
    expect(await violations(page)).toEqual([]);
    await owner.picture('readers');
    await page.getByRole('button', { name: 'Save' }).click();
    await until('it is saved', async () => (await page.getByRole('button', { name: 'Save' }).count()) === 0);
    const { data } = await system.api<{ data: { title: string; readers: string[] }[] }>('GET', '/api/v1/knowledge');
    expect(data.find(({ title }) => title === 'Returns')?.readers).toEqual(['group:finance']);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await owner.picture('readers-phone-dark');
  });
});
