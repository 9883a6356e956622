import type { Browser, Route } from 'playwright-core';
import { startSmallSystem, type System } from '../system/system.js';
import { post } from '../system/webhook.js';
import { violations } from './accessibility.js';
import { inBrowser, launch, signIn, type Visit, visit } from './browser.js';

const behindMs = 3_000;

interface Listed {
  data: { received_at: string }[];
  behind_ms: number | null;
}

/** Answers as from a replica that is behind. */
async function lag(route: Route): Promise<void> {
  const answer = await route.fetch();
  const list = (await answer.json()) as Listed;
  const data = list.data.filter(({ received_at: at }) => Date.parse(at) < Date.now() - behindMs);
  await route.fulfill({ response: answer, json: { ...list, data, behind_ms: behindMs } });
}

inBrowser('a list that is read from a replica', () => {
  let browser: Browser;
  let system: System;
  let owner: Visit;

  beforeAll(async () => {
    [browser, system] = await Promise.all([launch(), startSmallSystem()]);
    owner = await visit(browser, { viewport: { width: 1280, height: 700 } });
    await signIn(owner, await system.ownerLink());
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
  });

  it('says as of when it is, and shows by itself what it lacked when that was announced', async () => {
    const { page } = owner;
    await page.route(/\/api\/v1\/events\?/, lag);
    await post(system.webhookUrl, { text: 'Already there.' });
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Events' }).click();
    const row = (text: string) => page.getByRole('row').filter({ hasText: text });
    await row('Already there.').waitFor();
    await page.getByText(/^As of/).waitFor();
    await post(system.webhookUrl, { text: 'Just come.' });
    await row('Just come.').waitFor();
    expect(await page.getByText(/^As of \d+ s ago$/).count()).toBe(1);
    expect(await violations(page)).toEqual([]);
    await owner.picture('list-from-replica');
  });
});
