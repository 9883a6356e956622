import { until } from '#libs/testing';
import type { Browser, Page } from 'playwright-core';
import { type FakeModel, fakeModel } from '../../apps/engine/src/testing/fake-model.js';
import type { InstalledApp } from '../system/api.js';
import { startSmallSystem, type System } from '../system/system.js';
import { hmac, post } from '../system/webhook.js';
import { isForEverybody, violations } from './accessibility.js';
import { inBrowser, launch, signIn, visit, type Visit } from './browser.js';

const secret = `whsec_${Buffer.from('a secret that both ends know').toString('base64')}`;

interface Memory {
  text: string;
  expires_at: string | null;
  corrected_by: string | null;
}

inBrowser('what agents remember of a contact, in the console', () => {
  let browser: Browser;
  let system: System;
  let model: FakeModel;
  let person: Visit;
  let page: Page;
  let project: string;
  let app: InstalledApp;
  let contact: string;
  let event: string;

  beforeAll(async () => {
    [browser, model] = await Promise.all([launch(), fakeModel()]);
    system = await startSmallSystem({ MODEL_BASE_URL: model.url, MODEL_NAME: 'fake', MODEL_STREAMING: '0' });
    person = await visit(browser, {});
    page = person.page;
    await signIn(person, await system.ownerLink());
    project = new URL(page.url()).pathname.split('/').slice(0, 3).join('/');
    const desk = await system.api<{ id: string }>('POST', '/api/v1/agents', {
      name: 'Desk',
      instructions: 'Help.',
      tools: ['remember', 'forget'],
      may_do: 'write',
    });
    const url = `${system.origin('adapters')}/generic`;
    const adapter = await system.api<{ id: string }>('POST', '/api/v1/adapters', { url });
    app = await system.api<InstalledApp>('POST', '/api/v1/apps', {
      name: 'Door',
      kind: 'adapter',
      adapter_id: adapter.id,
      credential_id: await system.credential({ signing_secret: secret }),
    });
    await system.api('PUT', `/api/v1/channels/${app.id}`, { agent_id: desk.id, unknown_senders: 'hold' });
    const held = await say('Hello');
    const { data } = await system.api<{ data: { id: string; name: string }[] }>(
      'GET',
      '/api/v1/contacts?status=unknown',
    );
    contact = data.find(({ name }) => name === 'grace')?.id ?? '';
    await system.api('POST', `/api/v1/contacts/${contact}/admit`, {});
    await system.reached(held, 'turn', 'succeeded');
    model.script(
      ['Likes the window seat.', 'Travels on Mondays.', 'Has a dog.'].map((text) => ({
        name: 'remember',
        arguments: JSON.stringify({ text }),
      })),
      'Noted.',
    );
    event = await say('I like the window seat.');
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
    await model?.close();
  });

  /** @returns the event, which has ended */
  async function say(text: string): Promise<string> {
    const body = JSON.stringify({ sender: 'grace', message: text });
    const { id } = await post(app.webhook_url, body, { 'x-signature-256': hmac(secret, body) });
    await system.ended(id);
    return id;
  }
  /** Says it, and waits for the model's answer. */
  async function ask(text: string): Promise<void> {
    await system.reached(await say(text), 'turn', 'succeeded');
  }
  const open = (path: string): Promise<unknown> => page.goto(`${system.origin('portal')}${project}${path}`);
  const list = () => page.getByRole('region', { name: 'What agents remember' });
  const row = (text: string) => list().getByRole('listitem').filter({ hasText: text });
  const memories = async (): Promise<Memory[]> =>
    (await system.api<{ data: Memory[] }>('GET', `/api/v1/memories?contact_id=${contact}`)).data;
  const of = async (text: string): Promise<Memory | undefined> =>
    (await memories()).find((memory) => memory.text.includes(text));

  it('is listed with its agent, and leads to the event that it comes from', async () => {
    await open(`/contacts/${contact}`);
    await row('Likes the window seat.').getByRole('link', { name: 'Desk' }).waitFor();
    await row('Travels on Mondays.').waitFor();
    await isForEverybody(person, 'memories');
    await row('Likes the window seat.').getByRole('link').last().click();
    await page.waitForURL(new RegExp(`/events/${event}`));
    await page.getByText('I like the window seat.').first().waitFor();
  });

  it('is corrected in the words of a person, who is named, and the next turn is shown those', async () => {
    await open(`/contacts/${contact}`);
    await row('Likes the window seat.').getByRole('button', { name: 'Correct' }).click();
    const form = page.getByRole('dialog', { name: 'Correct what the agent remembers' });
    await form.getByLabel('Fact').fill('Likes the aisle seat.');
    expect(await violations(page)).toEqual([]);
    await form.getByRole('button', { name: 'Save' }).click();
    await row('Likes the aisle seat.')
      .getByText(/corrected by/)
      .waitFor();
    expect(await row('Likes the window seat.').count()).toBe(0);
    await ask('Which seat?');
    const shown = JSON.stringify(model.requests.at(-1)?.messages);
    expect(shown).toContain('Likes the aisle seat.');
    expect(shown).not.toContain('Likes the window seat.');
  });

  it('expires on the day that a person sets, and is kept again when the day is taken away', async () => {
    await open(`/contacts/${contact}`);
    await row('Travels on Mondays.').getByRole('button', { name: 'Correct' }).click();
    const form = page.getByRole('dialog', { name: 'Correct what the agent remembers' });
    await form.getByLabel('Expires on').fill('2999-01-31');
    await form.getByRole('button', { name: 'Save' }).click();
    await row('Travels on Mondays.').getByText(/until/).waitFor();
    expect((await of('Mondays'))?.expires_at).toContain('2999-01-31');
    await row('Travels on Mondays.').getByRole('button', { name: 'Correct' }).click();
    await form.getByLabel('Expires on').fill('');
    await form.getByRole('button', { name: 'Save' }).click();
    await row('Travels on Mondays.').getByText(/until/).waitFor({ state: 'detached' });
    expect((await of('Mondays'))?.expires_at).toBeNull();
  });

  it('is unlearnt by itself, and all of it after a question; turns are shown none of it', async () => {
    await open(`/contacts/${contact}`);
    await row('Has a dog.').getByRole('button', { name: 'Forget' }).click();
    await row('Has a dog.').waitFor({ state: 'detached' });
    expect((await memories()).map(({ text }) => text).sort()).toEqual(['Likes the aisle seat.', 'Travels on Mondays.']);
    await list().getByRole('button', { name: 'Forget everything' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget everything' }).click();
    await list().getByText('Nothing. Agents with the tool remember').waitFor();
    await until('nothing is remembered', async () => (await memories()).length === 0);
    await ask('Which seat, then?');
    expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain('aisle');
    expect(person.complaints).toEqual([]);
  });
});
