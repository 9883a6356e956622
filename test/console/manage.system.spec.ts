import { until } from '#libs/testing';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import type { InstalledApp } from '../system/api.js';
import { type OauthAdapter, openOauthAdapter } from '../system/oauth-adapter.js';
import { openSink, type Sink } from '../system/sink.js';
import { startSmallSystem, type System } from '../system/system.js';
import { post } from '../system/webhook.js';
import { type AuthorizationServer, startAuthorizationServer } from '../vault/authorization-server.js';
import { violations } from './accessibility.js';
import { inBrowser, launch, signIn, type Visit, visit } from './browser.js';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const confirm = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });

inBrowser('creating and deleting in the console', () => {
  let browser: Browser;
  let system: System;
  let sink: Sink;
  let provider: AuthorizationServer;
  let orbit: OauthAdapter;
  let owner: Visit;
  let project: string;

  beforeAll(async () => {
    [browser, system, sink] = await Promise.all([launch(), startSmallSystem(), openSink()]);
    const redirectUri = `${system.origin('portal')}/api/v1/oauth/callback/orbit`;
    provider = await startAuthorizationServer({ redirectUris: [redirectUri] });
    orbit = await openOauthAdapter(provider.url);
    await system.api('POST', '/api/v1/adapters', { url: orbit.url });
    await system.api('PUT', `/api/v1/channels/${system.appId}`, { reply_address: `${sink.url}/replies` });
    owner = await visit(browser, {});
    await signIn(owner, await system.ownerLink());
    project = new URL(owner.page.url()).pathname.split('/').slice(0, 3).join('/');
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
    await Promise.all([sink?.close(), orbit?.close(), provider?.close()]);
  });

  const go = (path: string): Promise<unknown> => owner.page.goto(`${system.origin('portal')}${project}${path}`);
  const named = async (name: string): Promise<string> => {
    const { data } = await system.api<{ data: { id: string; name: string }[] }>('GET', '/api/v1/credentials');
    return data.find((each) => each.name === name)?.id ?? '';
  };

  it('creates an API key that works at once, and revokes it', async () => {
    const { page } = owner;
    await go('/settings/keys?add=true');
    const form = page.getByRole('dialog', { name: 'Create an API key' });
    await form.getByRole('textbox', { name: 'Name' }).fill('Continuous integration');
    await form.getByRole('combobox', { name: 'Scopes of a role' }).click();
    await page.getByRole('option', { name: 'Viewer' }).click();
    await form.getByRole('button', { name: 'Create the key' }).click();
    const key = await page.getByRole('textbox', { name: 'API key' }).inputValue();
    await button(page, 'I have saved it').click();
    const ask = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${key}` };
      return (await fetch(`${system.origin('portal')}/api/v1/apps`, { headers })).status;
    };
    expect(await ask()).toBe(200);
    await page
      .getByRole('row')
      .filter({ hasText: 'Continuous integration' })
      .getByRole('button', { name: 'Revoke' })
      .click();
    await confirm(page, 'Revoke').click();
    await until('the key is refused', async () => (await ask()) === 401);
  });

  it('sets a limit of the project, and lifts it', async () => {
    const { page } = owner;
    const id = project.split('/').at(-1) ?? '';
    const limits = async (): Promise<unknown> =>
      (await system.api<{ limits: { messages_per_second: number | null } }>('GET', `/api/v1/projects/${id}`)).limits;
    await go('/settings/organization');
    for (const [typed, kept] of [
      ['25', 25],
      ['', null],
    ] as const) {
      await button(page, 'Limits').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Messages per second' }).fill(typed);
      expect(await violations(page)).toEqual([]);
      await owner.picture('project-limits');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await limits()).toMatchObject({ messages_per_second: kept });
    }
  });

  it('suspends a member, lifts the suspension, and removes them', async () => {
    const { page } = owner;
    const invited = { email: 'vera@example.com', role: 'viewer' };
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/members', invited);
    await go(`/settings/members/${id}`);
    await button(page, 'Suspend').click();
    await confirm(page, 'Suspend').click();
    await button(page, 'Lift the suspension').click();
    await button(page, 'Suspend').waitFor();
    await button(page, 'Remove').click();
    await confirm(page, 'Remove').click();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await page.getByText('vera@example.com').waitFor({ state: 'detached' });
    const { data } = await system.api<{ data: { id: string }[] }>('GET', '/api/v1/members');
    expect(data.map((member) => member.id)).not.toContain(id);
  });

  it('shows the second person who changes a role what the first one chose', async () => {
    const { page } = owner;
    const invited = { email: 'kim@example.com', role: 'viewer' };
    const { id } = await system.api<{ id: string }>('POST', '/api/v1/members', invited);
    await go(`/settings/members/${id}`);
    await page.getByRole('combobox', { name: 'Role' }).click();
    await page.getByRole('option', { name: 'Operator' }).click();
    await system.api('PATCH', `/api/v1/members/${id}`, { role: 'developer' });
    await button(page, 'Make Operator').click();
    const conflict = page.getByRole('dialog', { name: 'Somebody else changed this meanwhile' });
    await conflict.getByText('developer').waitFor();
    await conflict.getByRole('button', { name: 'Overwrite with mine' }).click();
    await button(page, 'Make Operator').waitFor({ state: 'detached' });
    expect(await system.api('GET', `/api/v1/members/${id}`)).toMatchObject({ role: 'operator' });
  });

  it('creates a new Webhook URL, which ends the first one, and deletes the App', async () => {
    const { page } = owner;
    const app = await system.api<InstalledApp>('POST', '/api/v1/apps', { name: 'Old', kind: 'builtin' });
    const send = async (url: string): Promise<number> =>
      (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })).status;
    await until('its URL works', async () => (await send(app.webhook_url)) === 200);
    await go(`/integrations/${app.id}?tab=settings`);
    await page.getByRole('combobox', { name: 'The old one works for' }).click();
    await page.getByRole('option', { name: 'Not at all' }).click();
    await button(page, 'Create a new URL').click();
    await confirm(page, 'Create a new URL').click();
    const next = await page.getByRole('textbox', { name: 'The new URL is in force.' }).inputValue();
    expect(next).not.toBe(app.webhook_url);
    await until('the old one is gone', async () => (await send(app.webhook_url)) === 410);
    await until('the new one works', async () => (await send(next)) === 200);
    await button(page, 'Delete the App').click();
    await confirm(page, 'Delete the App').click();
    await page.getByRole('heading', { name: 'Integrations', level: 1 }).waitFor();
    await until('the URL of a deleted App is gone', async () => (await send(next)) === 410);
  });

  it('connects an account by a link for somebody without an account here, and deletes the credential', async () => {
    const { page } = owner;
    const fields = { client_id: 'gatehouse', client_secret: 'a-client-secret' };
    await go('/credentials?make=');
    const form = page.getByRole('dialog', { name: 'New credential' });
    await form.getByLabel('Provider').click();
    await page.getByRole('option', { name: 'Orbit' }).click();
    await form.getByLabel('Name').fill('Of a partner');
    await form.getByLabel('Client ID').fill(fields.client_id);
    await form.getByLabel('Client secret').fill(fields.client_secret);
    await form.getByRole('button', { name: 'Save' }).click();
    await button(page, 'Connect by link').click();
    const link = await page.getByRole('textbox', { name: 'Link' }).inputValue();
    await button(page, 'Done').click();
    const partner = await visit(browser, {});
    await partner.page.context().addCookies([{ name: 'account', value: 'alice', url: provider.url }]);
    await partner.page.goto(link);
    await partner.page.getByRole('button', { name: 'Continue' }).click();
    await partner.page.getByRole('heading', { name: 'Connected' }).waitFor();
    await partner.close();
    await page.reload();
    await page.getByText('alice').first().waitFor();
    await button(page, 'Delete').click();
    await page.getByRole('dialog').getByText('Nothing uses it.').waitFor();
    await confirm(page, 'Delete').click();
    await page.getByRole('heading', { name: 'Credentials', level: 1 }).waitFor();
    expect(await named('Of a partner')).toBe('');
  });

  it('redrives an undelivered reply, and marks another one as delivered', async () => {
    const { page } = owner;
    sink.answer = () => ({ status: 400 });
    for (const text of ['lost once', 'arrived by other ways']) await post(system.webhookUrl, { text, thread_id: text });
    await go('/operations/deliveries');
    const row = (text: string) => page.getByRole('row').filter({ hasText: text });
    for (const text of ['lost once', 'arrived by other ways'])
      await row(text).getByRole('button', { name: 'Redrive' }).waitFor();
    sink.answer = () => ({ status: 200 });
    const attempts = () => sink.arrivals.filter(({ json }) => String(json['text']).includes('lost once')).length;
    const refused = attempts();
    await row('lost once').getByRole('button', { name: 'Redrive' }).click();
    await confirm(page, 'Redrive').click();
    await until('it arrived', () => attempts() > refused);
    await row('lost once').waitFor({ state: 'detached' });
    // A dead delivery is known not to have arrived.
    expect(await button(page, 'Mark as delivered').count()).toBe(0);
    const db = new pg.Client({ connectionString: system.databaseUrl });
    await db.connect();
    await db.query(`UPDATE gateway.delivery SET state = 'unknown' WHERE state = 'dead'`);
    await db.end();
    await go('/operations/deliveries?delivery=unknown');
    await row('arrived by other ways').getByRole('button', { name: 'Mark as delivered' }).click();
    await row('arrived by other ways').waitFor({ state: 'detached' });
  });

  it('replays an event to an agent that the rules did not choose', async () => {
    const { page } = owner;
    await system.api('POST', '/api/v1/agents', { name: 'Tried', instructions: 'reply: I am tried' });
    const { id } = await post(system.webhookUrl, { text: 'Who answers?' });
    await system.ended(id);
    await go(`/events/${id}`);
    await button(page, 'Replay').click();
    await page.getByRole('menuitem', { name: /To another workflow or agent/ }).click();
    const form = page.getByRole('dialog', { name: 'Replay to another target' });
    await form.getByRole('combobox', { name: 'Workflow or agent' }).click();
    await page.getByRole('option', { name: 'Tried' }).click();
    await form.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByText('It runs again. Follow it below.').waitFor();
    await until('the agent has answered', async () => {
      const { turns } = await system.api<{ turns: { agent_id: string }[] }>('GET', `/api/v1/events/${id}`);
      return turns.length === 2;
    });
  });

  it('sorts a fully loaded list by a column, and keeps the order in the URL', async () => {
    const { page } = owner;
    for (const name of ['Sorted B', 'Sorted A', 'Sorted C'])
      await system.api('POST', '/api/v1/agents', { name, instructions: 'reply: sorted' });
    await go('/agents?name=sorted');
    const table = page.getByRole('table', { name: 'Agents' });
    const shown = (order: string) =>
      until(`it is ${order}`, async () => {
        const rows = await table.getByRole('row').allTextContents();
        return rows.flatMap((row) => /Sorted (.)/.exec(row)?.[1] ?? []).join('') === order;
      });
    const byName = table.getByRole('button', { name: 'Name' });
    await byName.click();
    await shown('ABC');
    await byName.click();
    await shown('CBA');
    expect(page.url()).toContain('sort=-name');
    await page.reload();
    await shown('CBA');
    expect(await table.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe('descending');
    expect(page.url()).toContain('name=sorted');
    await go('/agents?name=sorted&sort=5');
    await table.getByText('Sorted A').waitFor();
  });

  it('reads a paginated list from its oldest end, which does not count as a filter', async () => {
    const { page } = owner;
    const texts = ['Ordered one', 'Ordered two', 'Ordered three'];
    for (const text of texts) await post(system.webhookUrl, { text, sender: `${text}@example.com` });
    await go('/events');
    const table = page.getByRole('table', { name: 'Events' });
    const shown = (order: string[]) =>
      until(`it is ${order.join()}`, async () => {
        const rows = await table.getByRole('row').allTextContents();
        return rows.flatMap((row) => /Ordered (one|two|three)/.exec(row)?.[0] ?? []).join() === order.join();
      });
    await shown(texts.toReversed());
    const received = table.getByRole('columnheader', { name: 'Received' });
    expect(await received.getAttribute('aria-sort')).toBe('descending');
    await received.getByRole('button').click();
    await shown(texts);
    expect(page.url()).toContain('sort=received');
    await page.reload();
    await shown(texts);
    expect(await received.getAttribute('aria-sort')).toBe('ascending');
    expect(await page.getByRole('button', { name: 'Clear filters' }).count()).toBe(0);
    await received.getByRole('button').click();
    await shown(texts.toReversed());
    await go('/contacts?sort=name');
    await page.getByText('No contacts yet').waitFor();
  });

  it('finds with ⌘K what is beyond a list of 200', async () => {
    const { page } = owner;
    await system.api('POST', '/api/v1/credentials', { name: 'The very first', type: 'text', fields: { a: 'b' } });
    const names = Array.from({ length: 201 }, (_, n) => `one of many ${n}`);
    for (const name of names)
      await system.api('POST', '/api/v1/credentials', { name, type: 'text', fields: { a: 'b' } });
    await go('/events');
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('textbox', { name: 'Search or go to …' }).fill('very first');
    await page.getByText('The very first').click();
    await page.getByRole('heading', { name: 'The very first', level: 1 }).waitFor();
  });

  it('closes a project, whose webhooks are refused with a reason until it is reopened', async () => {
    const { page } = owner;
    const other = await system.api<{ id: string }>('POST', '/api/v1/projects', { name: 'Trial' });
    const inIt = { 'x-project-id': other.id };
    const app = await system.api<InstalledApp>('POST', '/api/v1/apps', { name: 'In', kind: 'builtin' }, inIt);
    const send = async (): Promise<[number, string | undefined]> => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(app.webhook_url, { method: 'POST', headers, body: '{"task":"x"}' });
      return [answer.status, ((await answer.json()) as { error?: string }).error];
    };
    await until('its webhook works', async () => (await send())[0] === 200);
    await go('/settings/organization');
    const trial = page.getByRole('listitem').filter({ hasText: 'Trial' });
    await trial.getByRole('button', { name: 'Close' }).click();
    await confirm(page, 'Close').click();
    await trial.getByRole('button', { name: 'Reopen' }).waitFor();
    await until('its webhook is refused', async () => (await send())[0] === 404);
    expect(await send()).toEqual([404, 'project_closed']);
    await trial.getByRole('button', { name: 'Reopen' }).click();
    await trial.getByRole('button', { name: 'Close' }).waitFor();
    await until('its webhook works again', async () => (await send())[0] === 200);
  });
});
