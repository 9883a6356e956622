import { createEmulator, type Emulator } from 'emulate';
import type { JsonObject } from '#libs/adapter-sdk';
import { freePort, until } from '#libs/testing';
import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { startProviderServer, type ProviderServer } from '../testing/provider-server.js';
import { createGithubAdapter } from './github.adapter.js';

const SECRET = 'emulated-webhook-secret';
const ADDRESS = 'octocat/docs#1';

let github: Emulator;
let hook: ProviderServer;
let adapter: AdapterHost;
let bot: JsonObject;
const person = { token: 'person-token', signing_secret: SECRET };

beforeAll(async () => {
  github = await createEmulator({
    service: 'github',
    port: await freePort(),
    seed: {
      tokens: { 'person-token': { login: 'octocat', scopes: ['repo', 'user', 'admin:repo_hook'] } },
      github: {
        users: [{ login: 'octocat', name: 'The Octocat', email: 'octocat@github.com' }],
        repos: [{ owner: 'octocat', name: 'docs', auto_init: true }],
        apps: [
          {
            app_id: 12345,
            slug: 'agent',
            name: 'Agent',
            permissions: { contents: 'read', issues: 'write', pull_requests: 'write', metadata: 'read' },
            installations: [{ installation_id: 100, account: 'octocat' }],
          },
        ],
      },
    },
  });
  hook = await startProviderServer();
  adapter = await hostAdapter((http) => createGithubAdapter({ ...http, apiUrl: github.url }));
  const private_key = github.generatedSecrets.find(({ kind }) => kind === 'github.app_private_key')?.value;
  bot = { app_id: '12345', private_key, installation_id: '100', signing_secret: SECRET };
  await api('POST', '/repos/octocat/docs/hooks', {
    config: { url: `${hook.url}/hook`, content_type: 'json', secret: SECRET },
    events: ['issues', 'issue_comment', 'push'],
  });
  await api('POST', '/repos/octocat/docs/issues', { title: 'It fails', body: 'Every time.' });
});
afterAll(async () => {
  await adapter.close();
  await hook.close();
  await github.close();
});

async function api(method: string, path: string, body: object): Promise<JsonObject> {
  const answer = await fetch(github.url + path, {
    method,
    headers: { authorization: 'Bearer person-token', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as JsonObject;
}

/** The webhook that holds the text, verified and parsed. */
async function received(text: string, self: unknown): Promise<JsonObject> {
  const found = await until('the webhook arrives', () => hook.seen.find((request) => request.text.includes(text)));
  const envelope = { credentials: person, self, request: { headers: found.headers, body: found.text } };
  expect(await adapter.call('verify-webhook', envelope)).toMatchObject({ ok: true });
  return adapter.call('parse-inbound', envelope);
}

describe('against an emulated GitHub', () => {
  it('receives an issue, answers it, and recognises its own answer when it comes back', async () => {
    const verified = await adapter.call('verify', { credentials: person });
    expect(verified).toMatchObject({ ok: true, user: 'octocat', account: { username: 'octocat' } });
    const heard = await received('It fails', undefined);
    expect(heard).toMatchObject({ event_type: 'issue_opened', sender: 'octocat', is_bot: false, thread_id: ADDRESS });

    const sent = await adapter.call('deliver', {
      credentials: person,
      channel_address: ADDRESS,
      message: { text: 'Looking into **it**.', thread_id: heard.thread_id },
      idempotency_key: 'one',
    });
    expect(sent).toMatchObject({ ok: true, thread_id: ADDRESS });
    // The token is a person's and `self` is unknown: neither the sender nor a flag identifies the App, but the mark
    // does.
    const echo = await received('Looking into **it**.', undefined);
    expect(echo).toMatchObject({ is_bot: true, metadata: { is_self: true, message_id: sent.message_id } });
    expect(
      await adapter.call('deliver/lookup', { credentials: person, channel_address: ADDRESS, idempotency_key: 'one' }),
    ).toEqual({ found: true, message_id: sent.message_id });
    expect(
      await adapter.call('deliver/lookup', { credentials: person, channel_address: ADDRESS, idempotency_key: 'two' }),
    ).toEqual({ found: false });
  });

  it('answers as the bot of a GitHub App, with a token that it created for the installation', async () => {
    const verified = await adapter.call('verify', { credentials: bot });
    expect(verified).toMatchObject({ ok: true, user: 'agent[bot]', account: { app_id: '12345' } });
    const message = { text: 'The bot says so.' };
    const sent = await adapter.call('deliver', { credentials: bot, channel_address: ADDRESS, message });
    expect(sent).toMatchObject({ ok: true });
    expect(await received('The bot says so.', verified.account)).toMatchObject({
      sender: 'agent[bot]',
      is_bot: true,
      metadata: { is_self: true },
    });
    expect(adapter.logs()).not.toContain('BEGIN');
  });

  it('recognises wrong credentials', async () => {
    const wrong = { ...bot, installation_id: '101' };
    expect(await adapter.call('verify', { credentials: wrong })).toMatchObject({ ok: false, error: 'auth_failed' });
    const noKey = { ...bot, private_key: 'none' };
    expect(await adapter.call('verify', { credentials: noKey })).toMatchObject({ ok: false, error: 'auth_failed' });
  });

  it('reads the repository as documents, and then its changes', async () => {
    const source = { credentials: person, resource_path: 'octocat/docs' };
    const put = (path: string, content: string, more: object = {}) =>
      api('PUT', `/repos/octocat/docs/contents/${path}`, {
        message: `write ${path}`,
        content: Buffer.from(content).toString('base64'),
        ...more,
      });
    await put('guides/a.md', '# A');
    const full = await adapter.call('sources/list-changes', { ...source, cursor: null });
    expect(full).toMatchObject({ full: true });
    expect(full.changes).toEqual(
      expect.arrayContaining([expect.objectContaining({ path: 'guides/a.md', status: 'added' })]),
    );
    expect(await adapter.call('sources/list-changes', { ...source, cursor: full.cursor })).toEqual({
      changes: [],
      cursor: full.cursor,
      access: { audience: 'everyone' },
    });

    const { content } = (await put('guides/ä b.bin', '\u0000ÿ')) as { content: JsonObject };
    const next = await adapter.call('sources/list-changes', { ...source, cursor: full.cursor });
    expect(next.changes).toEqual([{ path: 'guides/ä b.bin', fingerprint: content.sha, status: 'added' }]);
    const file = await fetch(`${adapter.url}/sources/fetch-file`, {
      method: 'POST',
      body: JSON.stringify({ ...source, resource_path: 'octocat/docs:guides', file_path: 'ä b.bin' }),
    });
    expect(Buffer.from(await file.arrayBuffer()).toString('utf8')).toBe('\u0000ÿ');
    expect(file.headers.get('x-fingerprint')).toBe(content.sha);
  });
});
