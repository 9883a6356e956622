import { until } from '#libs/testing';
import type { Browser } from 'playwright-core';
import { type ReplicatedPostgres, startReplicatedPostgres } from '../database/replicated-postgres.js';
import { hostable, startSystem, type System } from '../system/system.js';
import { post } from '../system/webhook.js';
import { violations } from './accessibility.js';
import { inBrowser, launch, signIn, type Visit, visit } from './browser.js';

inBrowser('a list that is read from a replica', () => {
  let browser: Browser;
  let postgres: ReplicatedPostgres;
  let system: System;
  let owner: Visit;

  beforeAll(async () => {
    [browser, postgres] = await Promise.all([launch(), startReplicatedPostgres()]);
    const replica = new URL(postgres.urlOf('replica', 'router'));
    // Each service has a role of its own there, too.
    replica.username = replica.password = '';
    const urlOf = (service: string): string => postgres.urlOf('primary', service);
    const database = { url: urlOf('owner'), urlOf, drop: () => postgres.stop() };
    const settings = { DATABASE_REPLICA_URL: replica.href, REPLICA_MAX_LAG_MS: '120000' };
    system = await startSystem(settings, { hosted: hostable, given: { database } });
    owner = await visit(browser, { viewport: { width: 1440, height: 900 } });
    await signIn(owner, await system.ownerLink());
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
  });

  it('says as of when it is while the replica lags, and is whole and current after a change of one’s own', async () => {
    const { page } = owner;
    const project = page.url().split('/').slice(0, 5).join('/');
    const row = (text: string) => page.getByRole('row').filter({ hasText: text });
    const line = page.getByText(/^As of/);
    const ageMs = async (): Promise<number> =>
      Date.now() - Date.parse((await line.getByRole('time').getAttribute('datetime')) ?? '');
    await post(system.webhookUrl, { text: 'Already there.' });
    await until('the list comes from the replica', async () => {
      await page.goto(`${project}/events`);
      await row('Already there.').waitFor();
      return (await line.count()) === 1;
    });
    await postgres.caughtUp();
    await postgres.pause();
    expect((await post(system.webhookUrl, { text: 'Just come.' })).status).toBe(200);
    await page.goto(`${project}/events`);
    await row('Already there.').waitFor();
    // It grows old, since nothing is replayed.
    await until('it is some seconds old', async () => (await ageMs()) > 4_000);
    await page.goto(`${project}/events`);
    await row('Already there.').waitFor();
    expect(await line.textContent()).toMatch(/^As of \d+:\d\d:\d\d/);
    expect(await ageMs()).toBeGreaterThan(3_000);
    expect(await row('Just come.').count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await owner.picture('list-from-replica');
    await page.setViewportSize({ width: 390, height: 844 });
    await line.waitFor();
    await owner.picture('list-from-replica-390');
    await page.setViewportSize({ width: 1440, height: 900 });

    await page.goto(`${project}/settings/keys?add=true`);
    const form = page.getByRole('dialog', { name: 'Create an API key' });
    await form.getByRole('textbox', { name: 'Name' }).fill('A change');
    await form.getByRole('combobox', { name: 'Scopes of a role' }).click();
    await page.getByRole('option', { name: 'Viewer' }).click();
    await form.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.goto(`${project}/events`);
    await row('Just come.').waitFor();
    expect(await line.count()).toBe(0);
    await postgres.resume();
  });
});
