import { until } from '#libs/testing';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import Stripe from 'stripe';
import { type FakeAdapter, openFakeAdapter } from '../system/fake-adapter.js';
import { startSmallSystem, type System } from '../system/system.js';
import { post } from '../system/webhook.js';
import { violations } from './accessibility.js';
import { inBrowser, launch, signIn, type Visit, visit } from './browser.js';

/** The table of docs/console.md: `| Task | From | Clicks |`. */
const written = new Map(
  [...readFileSync('docs/console.md', 'utf8').matchAll(/^\| (.+?) +\| .+? +\| +(\d+) +\|$/gm)].map(
    ([, task = '', clicks]) => [task.trim(), Number(clicks)] as const,
  ),
);

inBrowser('the clicks that a task takes, as docs/console.md says', () => {
  let browser: Browser;
  let system: System;
  let desk: FakeAdapter;
  let owner: Visit;
  let page: Page;

  beforeAll(async () => {
    // As Slack's: a token and a signing secret.
    desk = await openFakeAdapter('desk', { verification: 'none' }, [
      { key: 'DESK_BOT_TOKEN', type: 'api_key', label: 'Bot token', maps_to: 'bot_token' },
      { key: 'DESK_SIGNING_SECRET', type: 'text', label: 'Signing secret', maps_to: 'signing_secret' },
    ]);
    [browser, system] = await Promise.all([launch(), startSmallSystem()]);
    await system.api('POST', '/api/v1/adapters', { url: desk.url });
    owner = await visit(browser, {});
    ({ page } = owner);
    await signIn(owner, await system.ownerLink());
    // Counts what a person presses, in the page itself; typing and pasting are no clicks.
    await page.addInitScript(
      'addEventListener("pointerdown", () => { window.presses = (window.presses ?? 0) + 1 }, true)',
    );
    await page.reload();
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
    await desk?.close();
  });

  const main = () => page.getByRole('navigation', { name: 'Main' });
  const home = async (): Promise<void> => {
    await page.goto(`${system.origin('portal')}/`);
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  };
  const expectClicks = async (task: string): Promise<void> =>
    expect([task, await page.evaluate('window.presses ?? 0')]).toEqual([task, written.get(task)]);

  it('connects an App: installed, pasted, saved, linked and verified, and ticks off its first request', async () => {
    await home();
    await main().getByRole('link', { name: 'Integrations' }).click();
    await page.getByRole('article', { name: 'desk' }).getByRole('button', { name: 'Install' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Install' }).click();
    const connect = page.getByRole('region', { name: 'Connect' });
    await connect.getByRole('textbox', { name: 'Bot token' }).fill('xoxb-1-not-a-real-token-8f2c');
    await connect.getByRole('textbox', { name: 'Signing secret' }).fill('9b1d0c2e4f6a8b0d1c3e5f7a9b1d3c5e');
    expect(await violations(page)).toEqual([]);
    await owner.picture('connect-app');
    await connect.getByRole('button', { name: 'Save and verify' }).click();
    await connect.getByText('No check failed.').waitFor();
    await expectClicks('Connect an App with pasted credentials, such as Slack');
    const address = await connect.getByRole('textbox', { name: 'Webhook URL' }).inputValue();
    await connect.getByText('Waiting for it.').waitFor();
    await fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text":"hello"}' });
    const first = connect.getByRole('listitem').filter({ hasText: 'The provider’s first request arrives' });
    await first.getByLabel('✓').waitFor();
    await owner.picture('connect-app-done');
    const { data } = await system.api<{ data: { name: string; credentials: { credential_id: string | null }[] }[] }>(
      'GET',
      '/api/v1/apps',
    );
    const app = data.find(({ name }) => name.startsWith('desk'));
    expect(app?.credentials.every(({ credential_id: id }) => id !== null)).toBe(true);
  });

  it('makes an agent with a tool that answers an App', async () => {
    await home();
    await main().getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('button', { name: 'New agent' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('textbox', { name: 'Name' }).fill('Clerk');
    await form.getByRole('textbox', { name: 'Instructions' }).fill('reply: at your service');
    await form.getByRole('checkbox', { name: 'Webhook' }).click();
    expect(await violations(page)).toEqual([]);
    await form.getByRole('combobox', { name: 'Tools' }).click();
    await page.getByRole('option', { name: 'HTTP request' }).click();
    await owner.picture('new-agent');
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Clerk', level: 1 }).waitFor();
    await expectClicks('Make an agent with a tool that answers an App');
    const channel = await system.api<{ agent_id: string }>('GET', `/api/v1/channels/${system.appId}`);
    const agent = await system.api<{ name: string; tools: string[] }>('GET', `/api/v1/agents/${channel.agent_id}`);
    expect(agent).toMatchObject({ name: 'Clerk', tools: ['http_request'] });
    await system.api('PATCH', `/api/v1/channels/${system.appId}`, { agent_id: null });
  });

  const waiting = async (): Promise<number> => {
    const path = '/api/v1/approvals?state=pending&limit=50';
    return (await system.api<{ data: unknown[] }>('GET', path)).data.length;
  };

  it('approves ten calls of one tool', async () => {
    const { data } = await system.api<{ data: { id: string; role: string }[] }>('GET', '/api/v1/members');
    const me = data.find(({ role }) => role === 'owner')?.id;
    const call = JSON.stringify({ method: 'POST', url: 'http://127.0.0.1:9/orders' });
    const agent = await system.api<{ id: string }>('POST', '/api/v1/agents', {
      name: 'Buyer',
      instructions: `call http_request ${call}\nreply: done`,
      tools: ['http_request'],
      may_do: 'read',
      approvers: [`user:${me}`],
    });
    const workflow = { name: 'Buy', instructions: 'Buy tea.', agent_id: agent.id };
    const { id } = await system.api<{ id: number }>('POST', '/api/v1/workflows', workflow);
    for (let run = 0; run < 10; run += 1) await system.api('POST', `/api/v1/workflows/${id}/runs`, {});
    await until('ten wait', async () => (await waiting()) === 10);
    await page.goto(`${new URL(page.url()).href.replace(/(\/p\/prj_\w+).*/, '$1')}/approvals`);
    await page.getByRole('button', { name: 'Approve 10' }).click();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Approve 10' }).click();
    await until('none waits', async () => (await waiting()) === 0);
    await expectClicks('Approve ten calls of one tool');

    for (let run = 0; run < 3; run += 1) await system.api('POST', `/api/v1/workflows/${id}/runs`, {});
    const boxes = page.getByRole('checkbox', { name: /^Select .*Buyer.* wants to call .*http_request/ });
    await until('three more wait', async () => (await boxes.count()) === 3);
    const bar = page.getByRole('region', { name: 'What is selected' });
    await boxes.nth(1).click();
    await boxes.nth(2).click();
    await bar.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await bar.getByText('Approve: 2 of 2 done').waitFor();
    await until('one is left', async () => (await boxes.count()) === 1);
    await boxes.click();
    expect(await violations(page)).toEqual([]);
    await bar.getByRole('button', { name: 'Refuse' }).click();
    await bar.getByText('Refuse: 1 of 1 done').waitFor();
    await until('none is left', async () => (await waiting()) === 0);
  });

  it('finds why a person got no answer', async () => {
    desk.parsed = JSON.stringify({ event_type: 'said', sender: 'grace', message: 'May I come in?', is_bot: false });
    const { data } = await system.api<{ data: { name: string; webhook_url: string }[] }>('GET', '/api/v1/apps');
    const { id } = await post(data.find(({ name }) => name.startsWith('desk'))?.webhook_url ?? '', { any: 'thing' });
    await until('it is held', async () => {
      const { outcome } = await system.api<{ outcome: string | null }>('GET', `/api/v1/events/${id}`);
      return outcome === 'held_unknown_sender';
    });
    await home();
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Search or go to …' }).fill('grace');
    const found = page.getByRole('button', { name: /grace: May I come in\?.*Unknown sender/ });
    await owner.picture('why-no-answer');
    await found.click();
    await page.waitForURL(new RegExp(`/events/${id}`));
    await expectClicks('Find why a person got no answer');
  });

  it('makes a trigger from an event', async () => {
    const { data } = await system.api<{ data: { id: number }[] }>('GET', '/api/v1/workflows');
    const { id } = await post(system.webhookUrl, { event_type: 'invoice.paid', sender: 'shop', text: 'Paid.' });
    await page.goto(`${new URL(page.url()).href.replace(/(\/p\/prj_\w+).*/, '$1')}/events/${id}`);
    await page.getByRole('button', { name: 'Make a trigger' }).click();
    await page.getByRole('img', { name: 'Starts it' }).first().waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('trigger-from-event');
    await page.getByRole('button', { name: 'Create the trigger' }).click();
    await page.waitForURL(new RegExp(`/workflows/${data[0]?.id}`));
    await expectClicks('Make a trigger from an event, with one workflow');
    const triggers = await system.api<{ data: object[] }>('GET', '/api/v1/triggers');
    const type = (await system.ended(id)).messages[0]?.message.event_type;
    expect(triggers.data).toMatchObject([
      { app_id: system.appId, workflow_id: data[0]?.id, event_types: [type], where: null },
    ]);
  });

  it('sets the Webhook App up for Stripe, whose package signs what is then accepted and read', async () => {
    await home();
    await main().getByRole('link', { name: 'Integrations' }).click();
    await page.getByRole('article', { name: 'Webhook' }).first().getByRole('link').click();
    await page.getByRole('button', { name: 'Choose a sender' }).click();
    const form = page.getByRole('dialog', { name: 'Choose a sender' });
    const sender = form.getByRole('combobox', { name: 'Sender' });
    await sender.fill('Stripe');
    await sender.press('ArrowDown');
    await sender.press('Enter');
    await form.getByText('Developers → Webhooks → Add destination').waitFor();
    const secret = 'whsec_5f2b7c9d1e3a4b6c8d0e2f4a6b8c0d1e';
    await form.getByLabel('Its signing secret').fill(secret);
    expect(await violations(page)).toEqual([]);
    await owner.picture('choose-sender');
    await form.getByRole('button', { name: 'Set up' }).click();
    await page.getByText('Set up for Stripe.').waitFor();
    await expectClicks('Set the Webhook App up for a well-known sender, such as Stripe');
    const paid = { id: 'evt_1', object: 'event', type: 'invoice.paid', data: { object: { customer: 'cus_7' } } };
    const payload = JSON.stringify(paid);
    const signature = new Stripe('key').webhooks.generateTestHeaderString({ payload, secret });
    const { status, id } = await post(system.webhookUrl, payload, { 'stripe-signature': signature });
    expect(status).toBe(200);
    expect((await system.ended(id)).messages).toMatchObject([
      { message: { event_type: 'invoice.paid', sender: 'cus_7' } },
    ]);
    const forged = await post(system.webhookUrl, payload.replace('cus_7', 'cus_8'), { 'stripe-signature': signature });
    expect(forged.status).toBe(401);
  });
});
