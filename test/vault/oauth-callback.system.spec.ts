import type { Schema } from '../../apps/console/src/api/named-schema.js';
import { Browser } from './browser.js';
import { type OauthWorld, startWorld } from './oauth-world.js';
import { person } from './vault-processes.js';
import { ServiceTokens } from '#libs/service-kit';
import { testServiceKey, until } from '#libs/testing';

let world: OauthWorld;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(() => world?.close());

const codeOf = async (answer: Response): Promise<{ status: number; code: string }> => ({
  status: answer.status,
  code: ((await answer.json()) as { code: string }).code,
});

/** Code exchanges that the provider saw. */
const exchanges = async (): Promise<number> =>
  (await world.provider.recorded()).requests.filter(({ grant }) => grant === 'authorization_code').length;

function changed(callback: URL, change: (query: URLSearchParams) => void): string {
  const url = new URL(callback);
  change(url.searchParams);
  return url.href;
}

describe('connecting an account', () => {
  it('goes to the provider with PKCE and back, and gives a working token, and never the other secrets', async () => {
    const id = await world.credential('connects');
    const started = await world.vaults.call<Schema<'ConnectStarted'>>('POST', `/api/v1/credentials/${id}/connect`, {});
    const asked = new URL(started.body.authorization_url).searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({
      response_type: 'code',
      client_id: 'gatehouse',
      redirect_uri: world.redirectUri,
      code_challenge_method: 'S256',
      scope: 'openid offline_access mail',
    });
    expect(asked.get('state')).toMatch(/^[\w-]{43}$/);
    expect(started.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Lax$/);
    await world.connect(id);
    const { body } = await world.vaults.resolve(id);
    expect(Object.keys(body.fields).sort()).toEqual(['access_token', 'client_id']);
    const view = await world.vaults.call<Schema<'GrantView'>>('GET', `/api/v1/credentials/${id}/oauth`);
    expect(view.body).toMatchObject({ state: 'active', version: 1, missing_scopes: [], provider: 'acme' });
    expect(view.body.events).toMatchObject([{ from: 'pending', to: 'active' }]);
    expect((await world.vaults.call<Schema<'CredentialView'>>('GET', `/api/v1/credentials/${id}`)).body.status).toBe(
      'active',
    );
  });

  it('leaks no code or state to referrers and caches', async () => {
    const { callback, browser } = await world.authorize(await world.credential('private'));
    const answer = await browser.get(callback.href, { accept: 'text/html' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.text()).toContain('Connected');
  });

  it('connects again in place: the same credential, the next version', async () => {
    const id = await world.connected('again');
    await world.connect(id);
    expect(await world.row(id)).toMatchObject({ state: 'active', version: 2 });
  });

  it('asks before another account replaces the first', async () => {
    const id = await world.connected('accounts');
    const before = (await world.vaults.resolve(id)).body.fields.access_token;
    const { callback, browser } = await world.authorize(id, 'mallory');
    expect(await (await browser.get(callback.href)).text()).toContain('Different account');
    expect((await world.vaults.resolve(id)).body.fields.access_token).toBe(before);
    const { rows } = await world.vaults.db.query(
      'SELECT id FROM vault.oauth_flow WHERE credential_id = $1 AND unconfirmed_attempt IS NOT NULL',
      [id],
    );
    const path = `/api/v1/credentials/${id}/connect/${rows[0].id}/confirm`;
    expect((await world.vaults.call('POST', path)).status).toBe(200);
    expect((await world.vaults.resolve(id)).body.fields.access_token).not.toBe(before);
    expect((await world.vaults.call('POST', path)).status).toBe(404);
  });

  it('needs no person for client credentials', async () => {
    const id = await world.credential('machine', 'client_credentials');
    expect((await world.vaults.call<Schema<'CredentialView'>>('GET', `/api/v1/credentials/${id}`)).body.status).toBe(
      'active',
    );
    expect((await world.vaults.resolve(id)).body.fields.access_token).toEqual(expect.any(String));
    expect(
      (await world.vaults.call<Schema<'Problem'>>('POST', `/api/v1/credentials/${id}/connect`, {})).body.code,
    ).toBe('not_connectable');
  });

  it('connects someone without an account by a link that works once and is not spent by viewing it', async () => {
    const id = await world.credential('linked');
    const link = await world.vaults.call<Schema<'ConnectLinkView'>>(
      'POST',
      `/api/v1/credentials/${id}/connect-links`,
      {},
    );
    const browser = new Browser();
    for (const looks of [1, 2])
      expect({ looks, status: (await browser.get(link.body.url)).status }).toEqual({ looks, status: 200 });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const used = await fetch(link.body.url, { method: 'POST', redirect: 'manual', headers, body: '' });
    expect(used.status).toBe(303);
    browser.set(world.vaults.urls[0] ?? '', used.headers.get('set-cookie') ?? '');
    const callback = await browser.follow(used.headers.get('location') ?? '', world.redirectUri);
    expect((await browser.get(callback.href)).status).toBe(200);
    expect(await world.row(id)).toMatchObject({ state: 'active' });
    const repeated = await fetch(link.body.url, { method: 'POST', redirect: 'manual' });
    expect(await codeOf(repeated)).toEqual({ status: 410, code: 'link_spent' });
  });

  it('revokes at the provider when the credential is deleted, however many attempts that takes', async () => {
    const id = await world.connected('deleted');
    expect((await world.vaults.call('DELETE', `/api/v1/credentials/${id}`)).status).toBe(204);
    await until('both tokens were revoked', async () => (await world.provider.recorded()).revoked.length === 2);
    await until('nothing is left of it', async () => {
      const { rows } = await world.vaults.db.query('SELECT id FROM vault.revocation');
      return rows.length === 0;
    });
  });
});

describe('an answer is refused, and spends no code:', () => {
  let callback: URL;
  let browser: Browser;
  let id: string;
  let count = 0;

  beforeEach(async () => {
    id = await world.credential(`refused ${(count += 1)}`);
    ({ callback, browser } = await world.authorize(id));
    await world.provider.configure({ reset: true });
  });

  afterEach(async () => {
    expect(await exchanges()).toBe(0);
    expect((await world.row(id)).state).toBe('pending');
  });

  it.each<[string, (query: URLSearchParams) => void, string]>([
    ['without a state', (query) => query.delete('state'), 'state_missing'],
    ['with two states', (query) => query.append('state', 'x'), 'state_missing'],
    ['with a state of nobody', (query) => query.set('state', 'x'.repeat(43)), 'state_unknown'],
    ['with another issuer', (query) => query.set('iss', 'https://evil.example'), 'iss_mismatch'],
    ['with two issuers', (query) => query.append('iss', 'https://evil.example'), 'invalid_answer'],
    ['without the issuer that the server promises', (query) => query.delete('iss'), 'iss_missing'],
    ['without a code', (query) => query.delete('code'), 'code_missing'],
    ['with two codes', (query) => query.append('code', 'x'), 'invalid_answer'],
    ['with an error', (query) => query.set('error', 'access_denied'), 'provider_access_denied'],
    [
      'with a server error',
      (query) => query.set('error', 'temporarily_unavailable'),
      'provider_temporarily_unavailable',
    ],
    ['with an error of its own', (query) => query.set('error', '<script>'), 'provider_error'],
  ])('%s', async (_what, change, code) => {
    expect(await codeOf(await browser.get(changed(callback, change)))).toEqual({ status: 400, code });
  });

  it('in another browser, and leaves the flow to the one that it belongs to', async () => {
    expect((await codeOf(await new Browser().get(callback.href))).code).toBe('wrong_browser');
    const { rows } = await world.vaults.db.query('SELECT consumed_at FROM vault.oauth_flow WHERE credential_id = $1', [
      id,
    ]);
    expect(rows[0].consumed_at).toBeNull();
  });

  it('of another user in the same browser', async () => {
    const stranger = { ...person, subject: 'key:2' };
    const token = await new ServiceTokens(testServiceKey, 'portal').mint('credential-vault', stranger);
    const answer = await browser.get(callback.href, { authorization: `Bearer ${token}` });
    expect((await codeOf(answer)).code).toBe('wrong_user');
  });

  it('at the address of another provider', async () => {
    const elsewhere = callback.href.replace('/callback/acme', '/callback/other');
    expect((await codeOf(await browser.get(elsewhere))).code).toBe('wrong_provider');
  });

  it('after its time', async () => {
    await world.vaults.db.query(
      "UPDATE vault.oauth_flow SET expires_at = now() - interval '1 s' WHERE credential_id = $1",
      [id],
    );
    expect((await codeOf(await browser.get(callback.href))).code).toBe('state_expired');
  });

  it('once it was refused: the state is spent', async () => {
    await browser.get(changed(callback, (query) => query.set('iss', 'https://evil.example')));
    expect((await codeOf(await browser.get(callback.href))).code).toBe('state_used');
  });
});

describe('a repeated submit', () => {
  it('spends one code, and is reported as a repetition', async () => {
    const id = await world.credential('twice');
    const { callback, browser } = await world.authorize(id);
    await world.provider.configure({ reset: true });
    const answers = await Promise.all([browser.get(callback.href), browser.get(callback.href)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(await exchanges()).toBe(1);
    expect((await codeOf(await browser.get(callback.href))).code).toBe('state_used');
    expect(await world.row(id)).toMatchObject({ state: 'active', version: 1 });
  });

  it('does not connect when the provider refuses the code', async () => {
    const { callback, browser } = await world.authorize(await world.credential('bad code'));
    const answer = await browser.get(changed(callback, (query) => query.set('code', 'made-up')));
    expect(await codeOf(answer)).toEqual({ status: 502, code: 'exchange_failed' });
  });
});

describe('an OAuth configuration', () => {
  it.each<[string, object, string]>([
    [
      'sets a reserved parameter',
      { extra_authorize_params: { state: 'x' } },
      'oauth_config.extra_authorize_params.state',
    ],
    [
      'sets it in capitals',
      { extra_authorize_params: { Redirect_Uri: 'x' } },
      'oauth_config.extra_authorize_params.Redirect_Uri',
    ],
    ['sets it in its URL', { authorization_url: 'https://a.example/?scope=all' }, 'oauth_config.authorization_url'],
    ['is over http', { token_url: 'http://a.example/token' }, 'oauth_config.token_url'],
    ['names no server', {}, 'oauth_config.token_url'],
    [
      'proves itself in a way of its own',
      { token_url: 'https://a.example', token_auth_method: 'magic' },
      'oauth_config.token_auth_method',
    ],
  ])('is refused when it %s', async (what, config, field) => {
    const fields = { client_id: 'gatehouse' };
    const made = await world.vaults.call<Schema<'CredentialView'>>('POST', '/api/v1/credentials', {
      name: what,
      type: 'oauth2',
      grant: 'authorization_code',
      fields,
    });
    const { status, body } = await world.vaults.call<Schema<'Problem'>>(
      'PUT',
      `/api/v1/credentials/${made.body.id}/oauth`,
      { config },
    );
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'invalid_oauth_config' });
    expect(body.errors?.map(({ field }) => field)).toContain(field);
    expect(
      (await world.vaults.call<Schema<'GrantView'>>('GET', `/api/v1/credentials/${made.body.id}/oauth`)).status,
    ).toBe(404);
  });

  it('whose redirect URI the provider does not know ends at the provider', async () => {
    const id = await world.credential('unregistered');
    await world.vaults.call('PUT', `/api/v1/credentials/${id}/oauth`, { config: { issuer: world.provider.url } });
    const started = await world.vaults.call<Schema<'ConnectStarted'>>('POST', `/api/v1/credentials/${id}/connect`, {});
    expect(new URL(started.body.authorization_url).searchParams.get('redirect_uri')).toMatch(
      /callback\/own-[0-9a-f]{16}$/,
    );
    const answer = await fetch(started.body.authorization_url, { redirect: 'manual' });
    expect({ status: answer.status, location: answer.headers.get('location') }).toEqual({
      status: 400,
      location: null,
    });
  });
});
