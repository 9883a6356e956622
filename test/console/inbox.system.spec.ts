import { until } from '#libs/testing';
import type { Browser, Page } from 'playwright-core';
import type { InstalledApp } from '../system/api.js';
import { openSink, type Sink } from '../system/sink.js';
import { startSmallSystem, type System } from '../system/system.js';
import { hmac, post } from '../system/webhook.js';
import { isForEverybody, violations } from './accessibility.js';
import { inBrowser, launch, signIn, visit, type Visit } from './browser.js';

interface Sessions {
  data: { id: string; key: string; unread: boolean; waits_for_me: boolean; assigned_to: string | null }[];
}

inBrowser('the inbox', () => {
  let browser: Browser;
  let system: System;
  let sink: Sink;
  let person: Visit;
  let page: Page;
  let project: string;

  beforeAll(async () => {
    [browser, sink, system] = await Promise.all([launch(), openSink(), startSmallSystem()]);
    person = await visit(browser, {});
    page = person.page;
    await signIn(person, await system.ownerLink());
    project = new URL(page.url()).pathname.split('/').slice(0, 3).join('/');
    const { data } = await system.api<{ data: { id: string; role: string }[] }>('GET', '/api/v1/members');
    const me = data.find(({ role }) => role === 'owner')?.id;
    const refund = { method: 'POST', url: 'http://127.0.0.1:9/refunds', body: { amount: '49.90', currency: 'eur' } };
    const shop = await system.api<{ id: string }>('POST', '/api/v1/agents', {
      name: 'Shop',
      instructions: `call http_request ${JSON.stringify(refund)}\nreply: It is on its way.`,
      tools: ['http_request'],
      may_do: 'read',
      allowed_hosts: ['127.0.0.1:9'],
      approvers: [`user:${me}`],
    });
    const secret = 'q7Yv2mZ9rT4kLw8xNc3bHs6dJf1gPe5a';
    const signed = {
      text_from: 'system',
      signature: { scheme: 'hmac' },
      credential_id: await system.credential({ signing_secret: secret }),
    };
    const asks = await system.api<InstalledApp>('POST', '/api/v1/apps', { name: 'Asks', kind: 'builtin', ...signed });
    await system.api('PUT', `/api/v1/channels/${asks.id}`, { agent_id: shop.id, reply_address: `${sink.url}/asks` });
    const mute = await system.api<InstalledApp>('POST', '/api/v1/apps', { name: 'Mute', kind: 'builtin' });
    const refunded = JSON.stringify({ text: 'I want my 49.90 back', thread_id: 'refund-1' });
    await post(asks.webhook_url, refunded, { 'x-signature-256': hmac(secret, refunded) });
    await until('a call waits', async () => {
      const path = '/api/v1/approvals?state=pending';
      return (await system.api<{ data: unknown[] }>('GET', path)).data.length === 1;
    });
    // Its agent's answer has nowhere to go.
    const { id } = await post(mute.webhook_url, { text: 'When is tea?', thread_id: 'tea-2' });
    await system.ended(id);
  });

  afterAll(async () => {
    await browser?.close();
    await system?.stop();
    await sink?.close();
  });

  const open = (path: string): Promise<unknown> => page.goto(`${system.origin('portal')}${project}${path}`);
  const row = (text: string) => page.getByRole('row').filter({ hasText: text });
  const idOf = async (thread: string): Promise<string> => {
    const { data } = await system.api<Sessions>('GET', `/api/v1/sessions?search=${thread}`);
    return data[0]?.id ?? '';
  };

  it('shows what is unread and what waits for the reader, by keys', async () => {
    await open('/conversations');
    await row('refund-1').getByText('Waits for you').waitFor();
    expect(await page.getByRole('img', { name: 'Unread' }).count()).toBe(2);
    await isForEverybody(person, 'inbox');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('Next conversation').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.locator('input[aria-label="Message or sender"]:focus').waitFor();

    await open('/conversations?inbox=waiting');
    await row('refund-1').waitFor();
    expect(await row('tea-2').count()).toBe(0);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByText('I want my 49.90 back').first().waitFor();
  });

  it('decides a call beside the words of the customer and the money', async () => {
    await open(`/conversations/${await idOf('refund-1')}`);
    const ask = page.getByRole('alert').filter({ hasText: 'Waits for approval to call http_request' });
    await ask.getByText('It is about 49.90 EUR').waitFor();
    await ask.getByText('The customer wrote: I want my 49.90 back').waitFor();
    await isForEverybody(person, 'inbox-approval');
    await ask.getByRole('button', { name: 'Approve' }).click();
    await until('it is decided', async () => {
      const path = '/api/v1/approvals?state=approved';
      return (await system.api<{ data: unknown[] }>('GET', path)).data.length === 1;
    });
    await ask.waitFor({ state: 'detached' });
  });

  it('is read by one member and unread by another, assigned, and has notes that no agent sees', async () => {
    const id = await idOf('refund-1');
    // The key has not looked.
    const others = await system.api<Sessions>('GET', '/api/v1/sessions?inbox=unread');
    expect(others.data.map((session) => session.id)).toContain(id);
    await open(`/conversations/${id}`);
    await page.getByRole('combobox', { name: 'Assigned to' }).click();
    await page.getByRole('option', { name: 'Owner' }).click();
    await page.getByRole('textbox', { name: 'New note' }).fill('Paid twice in May.');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByRole('paragraph').filter({ hasText: 'Paid twice in May.' }).waitFor();
    await isForEverybody(person, 'inbox-notes');
    const turns = await system.api<object>('GET', `/api/v1/sessions/${id}/turns`);
    expect(JSON.stringify(turns)).not.toContain('Paid twice');
    await open('/conversations?inbox=assigned');
    await row('refund-1').waitFor();
    expect(await row('refund-1').getByRole('img', { name: 'Unread' }).count()).toBe(0);
    expect(await row('tea-2').count()).toBe(0);
  });

  it('begins a reply with the agent’s draft or a canned answer, which whoever writes can save', async () => {
    await open(`/conversations/${await idOf('tea-2')}`);
    await page.getByRole('button', { name: 'Take over' }).click();
    const message = page.getByRole('textbox', { name: 'Your message' });
    await page.getByRole('button', { name: 'Edit the agent’s draft' }).click();
    expect(await message.inputValue()).toContain('When is tea?');
    await message.fill('Tea is at four.');
    await page.getByRole('button', { name: 'Canned answers' }).click();
    await page.getByRole('textbox', { name: 'Save what is written' }).fill('Tea time');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const saved = page.getByRole('button', { name: 'Tea time', exact: true });
    await saved.waitFor();
    expect(await violations(page)).toEqual([]);
    await person.picture('inbox-canned');
    await page.keyboard.press('Escape');
    // Until it has gone, the button closes it.
    await saved.waitFor({ state: 'detached' });
    await message.fill('');
    await page.getByRole('button', { name: 'Canned answers' }).click();
    await saved.click();
    expect(await message.inputValue()).toBe('Tea is at four.');
  });

  it('does one thing to all that are selected, and says of each that failed why', async () => {
    const [asks, tea] = [await idOf('refund-1'), await idOf('tea-2')];
    for (const id of [asks, tea]) await system.api('PUT', `/api/v1/sessions/${id}/assignee`, {});
    await open('/conversations');
    await row('refund-1').waitFor();
    const bar = page.getByRole('region', { name: 'What is selected' });
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await bar.getByText('1 selected').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+X');
    await bar.getByText('2 selected').waitFor();
    expect(await violations(page)).toEqual([]);
    await person.picture('inbox-selected');
    // Another person was quicker with one of them.
    const refusal = { type: 'about:blank', title: 'No', status: 409, code: 'closed', detail: 'It is closed by now.' };
    const taken = `**/api/v1/sessions/${tea}/assignee`;
    await page.route(taken, (route) => route.fulfill({ status: 409, json: refusal }));
    await bar.getByRole('button', { name: 'Assign to me' }).click();
    await bar.getByText('Assign to me: 1 of 2 done · 1 selected').waitFor();
    await bar.getByRole('list', { name: 'What failed' }).getByText('It is closed by now.').waitFor();
    expect(await violations(page)).toEqual([]);
    await person.picture('inbox-selected-failed');
    await page.unroute(taken);
    expect(person.complaints.splice(0)).toEqual([expect.stringContaining('409')]);
    await bar.getByRole('button', { name: 'Assign to me' }).click();
    await bar.getByText('Assign to me: 1 of 1 done').waitFor();
    await bar.getByRole('button', { name: 'Clear the selection' }).click();
    await bar.waitFor({ state: 'detached' });
    for (const id of [asks, tea]) {
      const { assigned_to: to } = await system.api<Sessions['data'][number]>('GET', `/api/v1/sessions/${id}`);
      expect(to).toMatch(/^user:/);
    }
    // What a glance shows stays unread.
    await row('tea-2').focus();
    await page.keyboard.press('p');
    await page.getByRole('region', { name: 'At a glance' }).getByText('When is tea?', { exact: true }).waitFor();
    expect(await violations(page)).toEqual([]);
    await person.picture('inbox-peek');
    await page.keyboard.press('Escape');
  });

  it('hears its keys after a box was clicked', async () => {
    await open('/conversations');
    await row('refund-1').waitFor();
    const rows = page
      .getByRole('row')
      .filter({ has: page.getByRole('checkbox') })
      .filter({ hasNotText: 'Last message' });
    const reached = () => page.evaluate<string>(`document.activeElement.dataset.index`);
    await row('refund-1').getByRole('checkbox').click();
    const first = Number(await reached());
    const [down, up] = first === 0 ? ['j', 'k'] : ['k', 'j'];
    await page.keyboard.press(down);
    await until('the next row has the focus', async () => Number(await reached()) !== first);
    await page.keyboard.press(up);
    await until('the row has it again', async () => Number(await reached()) === first);
    await rows.nth(first).getByRole('checkbox').click();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' });
    // Also from the box of all, which is of no row.
    await page.getByRole('columnheader').getByRole('checkbox').click();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'detached' });
  });

  it('marks the row with the focus as resolved by a key', async () => {
    await open('/conversations?text=refund-1');
    await row('refund-1').waitFor();
    await row('refund-1').getByRole('checkbox').click();
    await page.keyboard.press('e');
    await row('refund-1').getByText('Resolved').waitFor();
    expect(person.complaints).toEqual([]);
  });
});
