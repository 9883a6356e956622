import { type System, startSmallSystem } from '../system/system.js';
import { type AuthorizationServer, startAuthorizationServer } from '../vault/authorization-server.js';
import { Browser } from '../vault/browser.js';
import { openGithub } from './fake-github.js';
import { type Clone, cloneOf, commandsOf, follow } from './guide.js';

const [functions = ''] = commandsOf('receive-a-webhook.md');
let system: System;
let clone: Clone;
let provider: AuthorizationServer;
let github: Awaited<ReturnType<typeof openGithub>>;

beforeAll(async () => {
  [provider, github] = await Promise.all([startAuthorizationServer({ redirectUris: [] }), openGithub()]);
  system = await startSmallSystem({ GATEHOUSE_GITHUB_API_URL: github.url });
  clone = cloneOf(system);
});
afterAll(async () => {
  clone?.remove();
  await system?.stop();
  await provider?.close();
  github?.server.close();
});

it('the guide to sync documents, followed as it stands, leads to documents that agents find', async () => {
  const [noted = '', install = '', add = '', see = ''] = commandsOf('sync-documents.md');
  // What a person waits for with their eyes.
  const kept = 'until api "sources/$DOCUMENTS/documents" | grep -q \'"knowledge":"kept"\'; do sleep 0.2; done\n';
  const printed = await follow(clone, [
    functions,
    noted.replace('github_pat_...', 'a-token'),
    install,
    add,
    kept + see,
  ]);
  expect(printed.at(-1)).toMatch(/"state":"(completed|succeeded)"[^]*"path":"leave\.md"/);
});

it('the guide to connect an account, followed as it stands, leads to a grant that is in use', async () => {
  const [which = '', store = '', noted = '', client = '', link = '', see = ''] = commandsOf('connect-an-account.md');
  // The account's id is kept for the second half, after what happens in the browser.
  const [, , stored = '', credential = ''] = await follow(clone, [
    functions,
    which.replace('https://accounts.acme.example', provider.url),
    store,
    'echo "$ACCOUNT"',
  ]);
  const { redirect_uri } = JSON.parse(stored) as { redirect_uri: string };
  // At the provider, a person registers the client.
  const registered = await fetch(`${provider.url}/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [redirect_uri], grant_types: ['authorization_code', 'refresh_token'] }),
  });
  const { client_id, client_secret } = (await registered.json()) as Record<string, string>;
  const put = noted
    .replace('CLIENT_ID=...', `CLIENT_ID='${client_id}'`)
    .replace('CLIENT_SECRET=...', `CLIENT_SECRET='${client_secret}'`);
  const account = `ACCOUNT=${credential}`;
  const [, , , , linked = ''] = await follow(clone, [functions, account, put, client, link]);
  expect(await pressed((JSON.parse(linked) as { url: string }).url, redirect_uri)).toContain('Connected');
  const [, , seen = ''] = await follow(clone, [functions, account, see]);
  expect(JSON.parse(seen)).toMatchObject({ state: 'active' });
});

/** Opens the link, presses its button and agrees at the provider. @returns the page that the browser comes back to */
async function pressed(link: string, redirectUri: string): Promise<string> {
  const browser = new Browser();
  expect(await (await browser.get(link)).text()).toContain('Continue');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const started = await fetch(link, { method: 'POST', redirect: 'manual', headers: form, body: '' });
  browser.set(link, started.headers.get('set-cookie') ?? '');
  browser.set(provider.url, 'account=alice');
  const callback = await browser.follow(started.headers.get('location') ?? '', redirectUri);
  return (await browser.get(callback.href, { accept: 'text/html' })).text();
}
