import type { Browser, Page } from 'playwright-core';
import { type DocumentAdapter, openDocumentAdapter } from '../system/document-adapter.js';
import { type OauthAdapter, openOauthAdapter } from '../system/oauth-adapter.js';
import { openProtectedMcpServer, type ProtectedMcpServer } from '../system/protected-mcp-server.js';
import { openPlainAdapter, type PlainAdapter } from '../system/plain-adapter.js';
import { startSmallSystem, type System } from '../system/system.js';
import { type AuthorizationServer, startAuthorizationServer } from '../vault/authorization-server.js';
import { violations } from './accessibility.js';
import { inBrowser, launch, signIn, type Visit, visit } from './browser.js';

/** Above what the steps here send, and below what one of them sends at once. */
const endpointRate = 20;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

inBrowser('connecting other systems in the console', () => {
  let browser: Browser;
  let system: System;
  let provider: AuthorizationServer;
  let orbit: OauthAdapter;
  let mcp: ProtectedMcpServer;
  let acme: PlainAdapter;
  let library: DocumentAdapter;
  let owner: Visit;
  let project: string;

  beforeAll(async () => {
    system = await startSmallSystem({ ENDPOINT_RATE_PER_SECOND: String(endpointRate) });
    browser = await launch();
    acme = await openPlainAdapter('acme');
    library = await openDocumentAdapter(3, {
      audience: 'listed',
      readers: ['group:library'],
      note: 'The library does not name its members.',
    });
    const redirectUri = `${system.origin('portal')}/api/v1/oauth/callback/orbit`;
    provider = await startAuthorizationServer({ redirectUris: [redirectUri] });
    orbit = await openOauthAdapter(provider.url);
    mcp = await openProtectedMcpServer(provider.url);
    owner = await visit(browser, {});
    await signIn(owner, await system.ownerLink());
    project = new URL(owner.page.url()).pathname;
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
    await Promise.all([acme?.close(), library?.close(), orbit?.close(), mcp?.close(), provider?.close()]);
  });

  const go = (page: Page, path: string): Promise<unknown> =>
    page.goto(`${system.origin('portal')}${project.replace(/\/$/, '')}${path}`);

  it('turns on a signature, shows its secret once, and verifies it: signed accepted; unsigned, tampered and stale refused', async () => {
    const { page } = owner;
    await page.getByRole('link', { name: 'Integrations' }).click();
    await page.getByRole('article', { name: 'Webhook' }).first().getByRole('link').click();
    await button(page, 'Turn on').click();
    const form = page.getByRole('dialog', { name: 'Signature' });
    await form.getByLabel('Header with the time of signing').fill('x-timestamp');
    await form.getByRole('button', { name: 'Turn on' }).click();
    const shown = page.getByRole('dialog', { name: 'The signing secret' });
    expect(await shown.getByRole('textbox', { name: 'Signing secret' }).inputValue()).toMatch(/^[0-9a-f]{64}$/);
    await shown.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText('HMAC SHA256 in x-signature-256').waitFor();
    await button(page, 'Add a second secret').click();
    await button(page, 'I have saved it').click();
    await page.getByRole('tab', { name: 'Verify' }).click();
    await button(page, 'Verify').click();
    await page.getByText('No check failed.').waitFor();
    for (const check of [
      'A sample is accepted',
      'An unsigned request is refused',
      'A tampered request is refused',
      'A stale request is refused',
    ])
      await page.getByRole('listitem').filter({ hasText: check }).getByText('OK', { exact: true }).waitFor();
    await owner.picture('connect-verify-green');
  });

  it('shows what was refused, and sends a sample as its provider would', async () => {
    const { page } = owner;
    await fetch(system.webhookUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    await page.getByRole('tab', { name: 'Refused requests' }).click();
    await page.getByText('missing_signature').first().waitFor();
    const flood = Array.from({ length: 4 * endpointRate }, () =>
      fetch(system.webhookUrl, { method: 'POST', body: '{}' }),
    );
    expect((await Promise.all(flood)).map(({ status }) => status)).toContain(429);
    await page.getByText('Over ENDPOINT_RATE_PER_SECOND of the webhook-ingress').first().waitFor();
    await page.getByRole('tab', { name: 'Samples' }).click();
    await page.getByText('Changed after signing').click();
    await button(page, 'Send the sample').click();
    await page.getByText(/^Answered 401 in/).waitFor();
    await page.getByText('As its provider does').click();
    await button(page, 'Send the sample').click();
    await page.getByText(/^Answered 200 in/).waitFor();
    await page.getByRole('link', { name: 'Open the event' }).click();
    await page.waitForURL(/\/events\/evt_/);
    await page.getByText('The signature is valid (hmac-sha256 by signing_secret).').waitFor();
  });

  it('registers an adapter, approves what its next manifest changes leaf by leaf, and rolls it back', async () => {
    const { page } = owner;
    await go(page, '/developer-portal?register=true');
    await page.getByLabel('URL').fill(acme.url);
    await button(page, 'Fetch the manifest').click();
    await page.getByRole('heading', { name: 'acme', level: 1 }).waitFor();
    await page.getByText('Written from the contract alone.').first().waitFor();
    const before = acme.answers['manifest.json']?.({}) as object;
    const declared = { key: 'ACME', type: 'api_key', label: 'Token', maps_to: 'token' };
    acme.answers['manifest.json'] = () => ({ ...before, credentials: [declared] });
    await button(page, 'Refresh').click();
    await page.getByText('Version 2 waits for approval').waitFor();
    await button(page, 'Review the difference').click();
    const leaf = page.getByRole('row').filter({ hasText: 'credentials' }).filter({ hasText: 'maps_to' });
    await leaf.getByText('Waits for approval').waitFor();
    expect(await violations(page)).toEqual([]);
    await button(page, 'Approve').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Version 2 is in force.').waitFor();
    await button(page, 'Version 1').click();
    await button(page, 'Roll back to this').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back to this' }).click();
    await page.getByText('Version 1 is in force.').waitFor();
  });

  it('installs it as an App, and Verify says in red what is wrong and what to do', async () => {
    const { page } = owner;
    await page.getByRole('link', { name: 'Install as an App' }).click();
    await page.getByRole('dialog', { name: 'Install acme' }).getByRole('button', { name: 'Install' }).click();
    await page.getByRole('heading', { name: 'acme (inbound)', level: 1 }).waitFor();
    acme.answers.verify = () => ({ ok: false, error: 'auth_failed' });
    await page.getByRole('tab', { name: 'Verify' }).click();
    await button(page, 'Verify').click();
    await page.getByText(/^\d checks? failed\.$/).waitFor();
    const wrong = page.getByRole('listitem').filter({ hasText: 'Credentials are accepted' });
    await wrong.getByText('Failed', { exact: true }).waitFor();
    await wrong.getByText('What to do:').waitFor();
    await owner.picture('connect-verify-red');
  });

  it('installs a shipped adapter that nobody has registered', async () => {
    const { page } = owner;
    await go(page, '/integrations');
    const card = page.getByRole('article', { name: 'Telegram', exact: true });
    await card.getByRole('button', { name: 'Install' }).click();
    await page.getByRole('dialog', { name: 'Install Telegram' }).getByRole('button', { name: 'Install' }).click();
    await page.getByRole('heading', { name: 'Telegram (bidirectional)', level: 1 }).waitFor();
    await go(page, '/developer-portal');
    await page.getByRole('row').filter({ hasText: 'telegram' }).getByText('Ready').waitFor();
  });

  it('checks the adapter against the contract, and shows the failing cases with what to do', async () => {
    const { page } = owner;
    const { data } = await system.api<{ data: { id: string; slug: string }[] }>('GET', '/api/v1/adapters');
    await go(page, `/developer-portal/${data.find(({ slug }) => slug === 'acme')?.id}?tab=conformance`);
    await button(page, 'Run the checks').click();
    await page.getByText(/^\d+ checks? failed$/).waitFor();
    await page.getByText('What to do:').first().waitFor();
    await owner.picture('connect-conformance');
  });

  it('comes back to an App from the credential that was made for it, and has linked that', async () => {
    const { page } = owner;
    const app = await system.api<{ id: string }>('POST', '/api/v1/listings/github/install', { credentials: {} });
    await go(page, `/integrations/${app.id}`);
    const make = page.getByRole('link', { name: 'New credential' });
    await make.and(page.locator('[href*="as=GITHUB_WEBHOOK_SECRET"]')).click();
    const form = page.getByRole('dialog', { name: 'New credential' });
    await form.getByLabel('Name').fill('Hook of GitHub');
    await form.getByLabel('Webhook secret').fill('9b1d0c2e4f6a8b0d1c3e5f7a9b1d3c5e');
    expect(await violations(page)).toEqual([]);
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'GitHub (bidirectional)', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Hook of GitHub' }).first().waitFor();
    expect(new URL(page.url()).pathname).toMatch(new RegExp(`/integrations/${app.id}$`));
    const { credentials, missing } = await system.api<{
      credentials: { key: string; credential_id: string | null }[];
      missing: string[];
    }>('GET', `/api/v1/apps/${app.id}`);
    expect(missing).toEqual([]);
    const linked = credentials.filter(({ credential_id: id }) => id !== null);
    expect(linked.map(({ key }) => key)).toEqual(['GITHUB_WEBHOOK_SECRET']);
  });

  it('connects an account at its provider, and asks before a different one replaces it', async () => {
    const { page } = owner;
    await system.api('POST', '/api/v1/adapters', { url: orbit.url });
    /**
     * Who the provider takes the browser for. It shares its host with the console, so only its own cookies are cleared.
     */
    const account = async (name: string): Promise<void> => {
      await page.context().clearCookies({ name: /^_(session|interaction)/ });
      await page.context().addCookies([{ name: 'account', value: name, url: provider.url }]);
    };
    await account('alice');
    await go(page, '/credentials?make=');
    const form = page.getByRole('dialog', { name: 'New credential' });
    await form.getByLabel('Provider').click();
    await page.getByRole('option', { name: 'Orbit' }).click();
    await form.getByLabel('Name').fill('Orbit of the team');
    await form.getByLabel('Client ID').fill('gatehouse');
    await form.getByLabel('Client secret').fill('a-client-secret');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Not connected', { exact: true }).first().waitFor();
    await button(page, 'Connect').click();
    await page.getByText('Connected.', { exact: true }).waitFor();
    await page.getByText('alice').waitFor();
    expect(orbit.uses).toMatchObject([{ status: 200 }]);
    // The names of what came with the tokens; this provider sends nothing else.
    const grants = '**/api/v1/credentials/*/oauth';
    await page.route(grants, async (route) => {
      const grant = await route.fetch();
      await route.fulfill({ response: grant, json: { ...(await grant.json()), answer_fields: ['instance_url'] } });
    });
    await page.reload();
    await page.getByText('Also received, by name').waitFor();
    await page.getByText('instance_url', { exact: true }).waitFor();
    await page.unroute(grants);
    await account('mallory');
    await button(page, 'Reconnect').click();
    await page.getByText('The provider returned a different account').waitFor();
    await button(page, 'Keep the old account').click();
    await page.getByText('The old account stays.').waitFor();
    await page.getByText('alice').waitFor();
    expect(await page.content()).not.toContain('a-client-secret');
    await owner.picture('connect-credential');
  });

  it('connects an MCP server by consent, returns to it, and lists its tools at once', async () => {
    const { page } = owner;
    await go(page, '/mcp-servers?register=true');
    const form = page.getByRole('dialog', { name: 'Register a server' });
    await form.getByLabel('URL').fill(mcp.url);
    await form.getByLabel('Name').fill('Guarded');
    await form.getByLabel('Authentication').click();
    await page.getByRole('option', { name: 'OAuth, by consent' }).click();
    await form.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { name: 'Guarded', level: 1 }).waitFor();
    await page.getByText('Access denied').waitFor();
    await page.context().addCookies([{ name: 'deny', value: '1', url: provider.url }]);
    await button(page, 'Connect').click();
    await page.getByText('It was not connected (provider_access_denied). Try again.').waitFor();
    await page.context().clearCookies({ name: 'deny' });
    await button(page, 'Connect').click();
    await page.getByText('Connected.', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Guarded', level: 1 }).waitFor();
    await page.getByText('Reachable').waitFor();
    await page.getByRole('row').filter({ hasText: 'Says it again.' }).getByText('Approved').waitFor();
    expect(mcp.uses.at(-1)).toMatchObject({ status: 200 });
    expect(await violations(page)).toEqual([]);
    await owner.picture('connect-mcp-server');
  });

  it('adds a document source, syncs it, and lists its documents', async () => {
    const { page } = owner;
    await system.api('POST', '/api/v1/adapters', { url: library.url });
    await system.api('POST', '/api/v1/listings/library/install', {});
    await go(page, '/sources?add=true');
    const form = page.getByRole('dialog', { name: 'Add a source' });
    await form.getByPlaceholder('Choose one').click();
    await page.getByRole('option', { name: /^Library/ }).click();
    await form.getByLabel('Name').fill('The house');
    await form.getByLabel('Folder').fill('/house');
    await form.getByLabel('Synchronise').click();
    await page.getByRole('option', { name: 'Only on request' }).click();
    await form.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('heading', { name: 'The house', level: 1 }).waitFor();
    await button(page, 'Sync now').click();
    await page.getByText('3 added, 0 changed, 0 removed').waitFor();
    await page.getByText('f/2', { exact: true }).waitFor();
    await page.getByLabel('Path begins with').fill('f/1');
    await page.getByText('f/2', { exact: true }).waitFor({ state: 'detached' });
    expect(page.url()).toContain('prefix=f%2F1');
    await page.getByRole('tab', { name: 'Syncs' }).click();
    await page.getByText('Succeeded').first().waitFor();
    await owner.picture('connect-source');
  });

  it('sets who may read a part of a source, and shows what its provider says of it', async () => {
    const { page } = owner;
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByText('Not everything about who may read is known').first().waitFor();
    await page.getByText('The library does not name').first().waitFor();
    await page.getByText('group:library').first().waitFor();
    await button(page, 'Add a rule').click();
    const rule = page.getByRole('group', { name: 'Rule 1' });
    await rule.getByLabel('Path begins with').fill('f/2');
    const readers = rule.getByRole('combobox', { name: 'People and groups' });
    await readers.fill('finance');
    await readers.press('Enter');
    const readersForm = page.locator('form').filter({ hasText: 'What the provider says about it' });
    await readersForm.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/neither the address of a person nor group/).waitFor();
    await readers.press('Backspace');
    await readers.fill('group:finance');
    await readers.press('Enter');
    await readersForm.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').first().waitFor();
    expect(await violations(page)).toEqual([]);
    await owner.picture('connect-source-readers');
    const { data } = await system.api<{ data: { access_rules: object[] }[] }>('GET', '/api/v1/sources');
    expect(data[0]?.access_rules).toEqual([{ prefix: 'f/2', audience: 'listed', readers: ['group:finance'] }]);
    await page.getByLabel('What the provider says about it').first().click();
    await page.getByRole('option', { name: /Is left aside/ }).click();
    await readersForm.getByRole('button', { name: 'Save' }).click();
    await page.getByText('What the provider says is left aside.').waitFor();
  });

  it('shows the difference when two tabs conflict, and lets the second one choose', async () => {
    const first = owner.page;
    const second = await first.context().newPage();
    const name = (page: Page) => page.getByRole('textbox', { name: 'Name' });
    const path = `/integrations/${system.appId}?tab=settings`;
    await Promise.all([go(first, path), go(second, path)]);
    await Promise.all([name(first).waitFor(), name(second).waitFor()]);
    await name(second).fill('Webhook of the second');
    await button(second, 'Save').click();
    await second.getByText('Saved.', { exact: true }).waitFor();
    await name(first).fill('Webhook of the first');
    await button(first, 'Save').click();
    const conflict = first.getByRole('dialog', { name: 'Somebody else changed this meanwhile' });
    await conflict.getByText('Webhook of the second').waitFor();
    await conflict.getByText('Webhook of the first').waitFor();
    expect(await system.api('GET', `/api/v1/apps/${system.appId}`)).toMatchObject({
      name: expect.stringContaining('second'),
    });
    await conflict.getByRole('button', { name: 'Overwrite with mine' }).click();
    await first.getByText('Saved.', { exact: true }).waitFor();
    await second.close();
  });

  it.each(['light', 'dark'] as const)('is accessible on every page, in %s', async (scheme) => {
    const { page } = owner;
    await page.emulateMedia({ colorScheme: scheme });
    const pages: [path: string, shown: string][] = [
      ['/integrations', 'Available'],
      [`/integrations/${system.appId}`, 'Webhook URL'],
      [`/integrations/${system.appId}?tab=channel&edit=channel`, 'Reply address'],
      [`/integrations/${system.appId}?tab=requests`, 'missing_signature'],
      ['/developer-portal', 'acme'],
      ['/credentials', 'Orbit of the team'],
      ['/sources', 'The house'],
    ];
    for (const [path, shown] of pages) {
      await go(page, path);
      await page.getByText(shown).first().waitFor();
      expect([path, await violations(page)]).toEqual([path, []]);
    }
    // The browser logs 4xx answers as errors; a conflict is one.
    expect(owner.complaints.filter((complaint) => !complaint.startsWith('Failed to load resource'))).toEqual([]);
  });
});
