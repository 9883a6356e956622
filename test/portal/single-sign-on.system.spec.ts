import { createHash } from 'node:crypto';
import { DataSource } from 'typeorm';
import { type Browser as SignedInBrowser, linkOfOwner, signIn } from '../../apps/portal/src/testing/browser.js';
import { type PortalWorld, startPortal } from '../../apps/portal/src/testing/portal-world.js';
import { startUpstream, type Upstream } from '../../apps/portal/src/testing/upstream.js';
import { type AuthorizationServer, startAuthorizationServer } from '../vault/authorization-server.js';
import { Browser } from '../vault/browser.js';

const publicUrl = 'http://gatehouse.test';
const callback = `${publicUrl}/api/v1/sign-in/oidc/callback`;
const person = (email: string, more: object = {}) => ({ email, email_verified: true, ...more });

let issuer: AuthorizationServer;
let behind: Upstream;
let portal: PortalWorld;
let owner: SignedInBrowser;

beforeAll(async () => {
  const accounts = {
    ada: person('Ada@example.com', { name: 'Ada Lovelace' }),
    grace: person('grace@example.com', { name: 'Grace Hopper' }),
    doubtful: { email: 'ada@example.com', email_verified: false },
    second: person('ada@example.com'),
    boss: person('boss@example.com', { groups: ['staff', 'gatehouse-admins', 'toString'] }),
    stranger: person('stranger@example.com'),
  };
  [issuer, behind] = await Promise.all([
    startAuthorizationServer({ redirectUris: [callback], accounts }),
    startUpstream('service', {}),
  ]);
  portal = await start({});
  owner = await signIn(portal, await linkOfOwner(portal));
});
afterAll(async () => {
  await portal.close();
  await Promise.all([issuer.close(), behind.close()]);
});

function start(change: Parameters<typeof startPortal>[2]): Promise<PortalWorld> {
  const { url } = behind;
  const urls = { INGRESS_URL: url, GATEWAY_URL: url, VAULT_URL: url, ROUTER_URL: url };
  return startPortal({ ...urls, ENGINE_URL: url, MCP_REGISTRY_URL: url }, 0, {
    PUBLIC_URL: publicUrl,
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: 'gatehouse',
    OIDC_CLIENT_SECRET: 'a-client-secret',
    OIDC_NAME: 'Example',
    FAILED_KEYS_PER_ADDRESS: 1_000,
    ...change,
  });
}

/**
 * Does what a browser does, up to the answer to its return.
 * @param spoil changes the URL that the issuer redirects to
 */
async function signInAs(
  account: string,
  { at = portal, browser = new Browser(), returnTo = '/p/x/events', spoil = (url: URL): URL => url } = {},
): Promise<Response> {
  browser.set(issuer.url, `account=${account}`);
  const began = await browser.get(`${at.url}/api/v1/sign-in/oidc/oidc/start?return_to=${encodeURIComponent(returnTo)}`);
  const back = await browser.follow(began.headers.get('location') ?? '', callback);
  const { search } = spoil(back);
  return browser.get(`${at.url}/api/v1/sign-in/oidc/callback${search}`);
}

const location = (answer: Response): (string | number | null)[] => [answer.status, answer.headers.get('location')];
const sessionOf = async (answer: Response, at = portal) => {
  const cookie = answer.headers.getSetCookie().find((each) => each.startsWith('gatehouse_session='));
  const headers = { cookie: cookie?.split(';')[0] ?? '' };
  return (await (await fetch(`${at.url}/api/v1/session`, { headers })).json()) as {
    member: { id: string; name: string; email: string; role: string };
    code?: string;
  };
};

describe('single sign-on', () => {
  it('signs in whoever was invited by an address that the issuer verified, and later recognises them by its subject', async () => {
    const methods = await (await fetch(`${portal.url}/api/v1/sign-in/methods`)).json();
    expect(methods).toEqual({ oidc: [{ id: 'oidc', name: 'Example' }], link: true });
    const invited = (await owner.call('POST', '/members', { email: 'ada@example.com', role: 'developer' })).body;
    const answer = await signInAs('ada');
    expect(location(answer)).toEqual([303, '/p/x/events']);
    const { member } = await sessionOf(answer);
    expect(member).toMatchObject({ id: invited.id, email: 'ada@example.com', role: 'developer' });
    const sessions = await owner.call('GET', `/member-sessions?member_id=${member.id}`);
    expect(sessions.body.data).toMatchObject([{ method: 'oidc' }]);

    await portal.app
      .get(DataSource)
      .query("UPDATE portal.user_account SET email = 'new@example.com' WHERE id = $1", [member.id]);
    expect((await sessionOf(await signInAs('ada'))).member.id).toBe(member.id);
    await portal.app
      .get(DataSource)
      .query("UPDATE portal.user_account SET email = 'ada@example.com' WHERE id = $1", [member.id]);
  });

  it('refuses whoever was not invited, has an unverified address, or one that belonged to somebody else before', async () => {
    expect(location(await signInAs('stranger'))).toEqual([303, '/sign-in?error=not_invited']);
    expect(location(await signInAs('doubtful'))).toEqual([303, '/sign-in?error=email_not_verified']);
    expect(location(await signInAs('second'))).toEqual([303, '/sign-in?error=identity_conflict']);
    const { data } = (await owner.call('GET', '/members')).body;
    const ada = data.find(({ email }: { email: string }) => email === 'ada@example.com');
    await owner.call('PATCH', `/members/${ada.id}`, { suspended: true });
    expect(location(await signInAs('ada'))).toEqual([303, '/sign-in?error=not_a_member']);
    await owner.call('PATCH', `/members/${ada.id}`, { suspended: false });
  });

  it('accepts an answer only in the browser that requested it, and none that was changed or sent twice', async () => {
    let taken: URL | undefined;
    const keep = (url: URL): URL => (taken = url);
    const own = new Browser();
    expect(location(await signInAs('ada', { browser: own, spoil: keep }))[1]).toBe('/p/x/events');
    const sendCallback = async (browser: Browser, search: string) =>
      location(await browser.get(`${portal.url}/api/v1/sign-in/oidc/callback${search}`))[1];
    expect(await sendCallback(new Browser(), taken!.search)).toBe('/sign-in?error=wrong_browser');
    expect(await sendCallback(own, taken!.search)).toBe('/sign-in?error=wrong_browser');
    const changed = (name: string, value: string) => (url: URL) => {
      url.searchParams.set(name, value);
      return url;
    };
    expect(location(await signInAs('ada', { spoil: changed('code', 'forged') }))[1]).toBe(
      '/sign-in?error=sign_in_failed',
    );
    expect(location(await signInAs('ada', { spoil: changed('state', 'forged') }))[1]).toBe(
      '/sign-in?error=wrong_browser',
    );
    expect(location(await signInAs('ada', { spoil: changed('iss', 'https://elsewhere.example') }))[1]).toBe(
      '/sign-in?error=sign_in_failed',
    );
    const unwilling = new Browser();
    unwilling.set(issuer.url, 'deny=1');
    expect(location(await signInAs('ada', { browser: unwilling }))[1]).toBe('/sign-in?error=sign_in_refused');
  });

  it('asks the issuer nothing for a cookie that it did not give', async () => {
    const state = 'chosen-by-a-stranger';
    const name = `gatehouse_sign_in_${createHash('sha256').update(state).digest('hex').slice(0, 16)}`;
    const flow = { state, nonce: 'n', verifier: 'v'.repeat(43), returnTo: '/', until: Date.now() + 600_000 };
    const value = Buffer.from(JSON.stringify(flow)).toString('base64url');
    const genuine = await fetch(`${portal.url}/api/v1/sign-in/oidc/oidc/start`, { redirect: 'manual' });
    const signature = genuine.headers.getSetCookie()[0]?.split(';')[0]?.split('.')[1] ?? '';
    expect(signature).not.toBe('');
    const requests = async (): Promise<number> => (await issuer.recorded()).requests.length;
    const asked = await requests();
    for (const forged of [value, `${value}.`, `${value}.${signature}`, `${value}.${'A'.repeat(43)}`, `.${signature}`]) {
      const answer = await fetch(`${portal.url}/api/v1/sign-in/oidc/callback?code=guessed&state=${state}`, {
        redirect: 'manual',
        headers: { cookie: `${name}=${forged}` },
      });
      expect(location(answer)).toEqual([303, '/sign-in?error=wrong_browser']);
    }
    expect(await requests()).toBe(asked);
    await signInAs('ada');
    expect(await requests()).toBe(asked + 1);
  });

  it.each(['https://elsewhere.example/', '/.//elsewhere.example', '/\\elsewhere.example', '/api/v1/session'])(
    'redirects only to itself: %s',
    async (returnTo) => {
      expect(location(await signInAs('ada', { returnTo }))).toEqual([303, '/']);
    },
  );

  it('is not slowed by what others at its address fail, but a sign-in that fails again and again is', async () => {
    const slow = await start({
      FAILED_KEYS_PER_ADDRESS: 2,
      FAILED_KEYS_WINDOW_MS: 3_600_000,
      OIDC_DEFAULT_ROLE: 'viewer',
    });
    try {
      for (let time = 0; time < 3; time += 1) {
        const stranger = await new Browser().get(`${slow.url}/api/v1/sign-in/oidc/callback?state=a`);
        expect(location(stranger)[1]).toBe('/sign-in?error=wrong_browser');
      }
      const browser = new Browser();
      let spent: URL | undefined;
      const forge = (url: URL): URL => {
        url.searchParams.set('code', 'forged');
        return (spent = url);
      };
      for (let time = 0; time < 3; time += 1) {
        const failed = await signInAs('ada', { at: slow, browser, spoil: forge });
        expect(location(failed)[1]).toBe('/sign-in?error=sign_in_failed');
      }
      const sendCallback = async () =>
        location(await browser.get(`${slow.url}/api/v1/sign-in/oidc/callback${spent?.search}`))[1];
      expect([await sendCallback(), await sendCallback()]).toEqual([
        '/sign-in?error=sign_in_failed',
        '/sign-in?error=too_many_sign_ins',
      ]);
      expect(location(await signInAs('ada', { at: slow }))).toEqual([303, '/p/x/events']);
    } finally {
      await slow.close();
    }
  });

  it('sends PKCE, a nonce and a state, and keeps them in a cookie of the browser', async () => {
    const answer = await fetch(`${portal.url}/api/v1/sign-in/oidc/oidc/start`, { redirect: 'manual' });
    const asked = new URL(answer.headers.get('location') ?? '').searchParams;
    expect(Object.fromEntries(asked)).toMatchObject({ code_challenge_method: 'S256', redirect_uri: callback });
    for (const secret of ['code_challenge', 'nonce', 'state']) expect(asked.get(secret)?.length).toBeGreaterThan(20);
    expect(answer.headers.get('set-cookie')).toMatch(
      /^gatehouse_sign_in_[0-9a-f]{16}=.*; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    expect((await fetch(`${portal.url}/api/v1/sign-in/oidc/other/start`)).status).toBe(404);
  });
});

describe('single sign-on with roles of the issuer', () => {
  it('creates members that were not invited, and sets the role of the claim at each sign-in', async () => {
    const roles = { 'gatehouse-admins': 'admin', staff: 'viewer' } as const;
    const open = await start({ OIDC_DEFAULT_ROLE: 'viewer', OIDC_ROLE_CLAIM: 'groups', OIDC_ROLES: roles });
    const at = open;
    expect((await sessionOf(await signInAs('grace', { at }), open)).member).toMatchObject({
      name: 'Grace Hopper',
      role: 'viewer',
    });
    const boss = (await sessionOf(await signInAs('boss', { at }), open)).member;
    expect(boss.role).toBe('admin');
    const first = await signIn(open, await linkOfOwner(open));
    await first.call('PATCH', `/members/${boss.id}`, { role: 'operator' });
    expect((await sessionOf(await signInAs('boss', { at }), open)).member.role).toBe('admin');
    await open.close();
  });

  it('says that the issuer does not answer', async () => {
    const lost = await start({ OIDC_ISSUER: 'http://127.0.0.1:1' });
    const answer = await fetch(`${lost.url}/api/v1/sign-in/oidc/oidc/start`, { redirect: 'manual' });
    expect(location(answer)).toEqual([303, '/sign-in?error=issuer_unavailable']);
    await lost.close();
  });
});
