import { ServiceTokens } from '#libs/service-kit';
import { testServiceKey, until } from '#libs/testing';
import { DataSource } from 'typeorm';
import { linkOfOwner, signIn, signInAnswer, tokenOf } from '../testing/browser.js';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';
import { post, send } from '../testing/send.js';
import { startUpstream, type Upstream } from '../testing/upstream.js';

let portal: PortalWorld;
let behind: Upstream;

beforeAll(async () => {
  behind = await startUpstream('service', {});
  portal = await startPortal(urlsOf(behind), 0, { FAILED_KEYS_PER_ADDRESS: 3 });
});
afterAll(async () => {
  await portal.close();
  await behind.close();
});

const urlsOf = ({ url }: Upstream) => ({
  INGRESS_URL: url,
  GATEWAY_URL: url,
  VAULT_URL: url,
  ROUTER_URL: url,
  ENGINE_URL: url,
  MCP_REGISTRY_URL: url,
});
const db = () => portal.app.get(DataSource);
const code = async (answer: Response) => ((await answer.json()) as { code: string }).code;

describe("the owner's link", () => {
  it('signs in once, whoever of many comes first, and is stored only as a hash', async () => {
    const link = await linkOfOwner(portal);
    expect(new URL(link).pathname).toBe('/sign-in');
    const answers = await Promise.all([signInAnswer(portal, link), signInAnswer(portal, link)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    const [won, lost] = answers.sort((a, b) => a.status - b.status);
    expect(await code(lost!)).toBe('link_used_or_expired');
    const cookie = won!.headers.get('set-cookie')!;
    expect(cookie).toMatch(/^gatehouse_session=[\w-]{43}; Path=\/; Max-Age=3600; HttpOnly; SameSite=Lax$/);
    expect(await won!.json()).toMatchObject({
      member: { name: 'Owner', email: null, role: 'owner' },
      organization: { id: portal.tenant.organizationId, name: 'Default' },
      organizations: [{ id: portal.tenant.organizationId, role: 'owner' }],
      projects: [{ id: portal.tenant.projectId, name: 'Default', closed_at: null }],
      scopes: expect.arrayContaining(['admin', 'approvals:manage', 'apps:write', 'members:manage']),
    });
    const stored = await db().query('SELECT * FROM portal.sign_in_link l, portal.member_session s');
    for (const secret of [tokenOf(link), /=([\w-]+)/.exec(cookie)![1]!]) {
      expect(JSON.stringify(stored)).not.toContain(secret);
    }
  });

  it('stops working when another is created, and when its time is over', async () => {
    const old = await linkOfOwner(portal);
    const link = await linkOfOwner(portal);
    expect((await signInAnswer(portal, old)).status).toBe(401);
    await db().query("UPDATE portal.sign_in_link SET expires_at = now() - interval '1 second'");
    expect((await signInAnswer(portal, link)).status).toBe(401);
  });

  it('is refused from a page of another origin, and guessing is slowed down', async () => {
    const link = await linkOfOwner(portal);
    const forged = { ...post({ token: tokenOf(link) }) };
    const headers = { ...forged.headers, origin: 'https://elsewhere.example' };
    expect((await send(`${portal.url}/api/v1/sign-in/link`, null, { ...forged, headers })).body.code).toBe(
      'csrf_refused',
    );
    const guess = () => send(`${portal.url}/api/v1/sign-in/link`, null, post({ token: 'a'.repeat(43) }));
    await until('the address has to wait', async () => (await guess()).status === 429);
    expect((await guess()).body.code).toBe('too_many_sign_ins');
  });
});

describe('a session', () => {
  const https = { PUBLIC_URL: 'https://gatehouse.test' };
  let slow: PortalWorld;
  beforeAll(async () => {
    slow = await startPortal(urlsOf(behind), 0, https);
  });
  afterAll(() => slow.close());

  it('over https has a cookie for https only', async () => {
    const answer = await signInAnswer(slow, await linkOfOwner(slow));
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-gatehouse_session=.*; HttpOnly; SameSite=Lax; Secure$/);
  });

  it('is recognised only by its cookie, and gives services the member and the permissions of the role', async () => {
    const owner = await signIn(slow, await linkOfOwner(slow));
    expect((await owner.call('GET', '/session')).body).toEqual(owner.session);
    const context = { 'x-project-id': slow.tenant.projectId, 'x-organization-id': slow.tenant.organizationId };
    expect((await owner.call('GET', '/apps', undefined, context)).status).toBe(200);
    const { headers } = behind.seen.at(-1)!;
    expect(JSON.stringify(headers)).not.toContain(owner.cookie);
    const token = headers.authorization!.replace('Bearer ', '');
    expect(await new ServiceTokens(testServiceKey, 'adapter-gateway').verify(token)).toEqual({
      ...slow.tenant,
      subject: `user:${owner.session.member.id}`,
      scopes: ['admin', 'approvals:manage'],
    });
    const none = await send(`${slow.url}/api/v1/session`, null);
    expect([none.status, none.body.code]).toEqual([401, 'not_signed_in']);
    const key = await send(`${slow.url}/api/v1/session`, await slow.key(['admin']));
    expect([key.status, key.body.code]).toEqual([404, 'no_session']);
  });

  it('changes nothing without its token, or from a page of another origin', async () => {
    const owner = await signIn(slow, await linkOfOwner(slow));
    const create = (headers: Record<string, string>) => owner.call('POST', '/projects', { name: 'Forged' }, headers);
    const forgeries: Record<string, string>[] = [
      { 'x-csrf-token': '' },
      { 'x-csrf-token': 'x'.repeat(43) },
      { origin: 'https://elsewhere.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of forgeries) {
      const { status, body } = await create(headers);
      expect([headers, status, body.code]).toEqual([headers, 403, 'csrf_refused']);
    }
    expect((await create({})).status).toBe(201);
    expect((await create({ origin: 'https://gatehouse.test' })).status).toBe(201);
    const { body } = await owner.call('GET', '/projects');
    expect(body.data).toHaveLength(3);
  });

  it('is passed to consent pages that a browser opens, and not to their forms, which need no token', async () => {
    const owner = await signIn(slow, await linkOfOwner(slow));
    const headers = { cookie: `${owner.cookie}; other=1`, 'x-csrf-token': '' };
    const tokens = new ServiceTokens(testServiceKey, 'credential-vault');
    expect((await owner.call('GET', '/oauth/callback/acme', undefined, headers)).status).toBe(200);
    const opened = behind.seen.at(-1)!.headers;
    expect(opened.cookie).toBe('other=1');
    const { subject } = await tokens.verify(opened.authorization!.replace('Bearer ', ''));
    expect(subject).toBe(`user:${owner.session.member.id}`);
    expect((await owner.call('POST', '/oauth/links/x', undefined, headers)).status).toBe(200);
    expect(behind.seen.at(-1)!.headers).toMatchObject({ cookie: 'other=1' });
    expect(behind.seen.at(-1)!.headers.authorization).toBeUndefined();
    const over = { cookie: `${owner.cookie}x` };
    expect((await owner.call('GET', '/oauth/callback/acme', undefined, over)).status).toBe(200);
  });

  it('ends when it was idle for long, when its time is over, and at sign-out', async () => {
    const ends: ((browser: Awaited<ReturnType<typeof signIn>>) => Promise<unknown>)[] = [
      () => db2().query("UPDATE portal.member_session SET last_used_at = now() - interval '11 minutes'"),
      () => db2().query('UPDATE portal.member_session SET expires_at = now()'),
      async (browser) => expect((await browser.call('DELETE', '/session')).status).toBe(204),
    ];
    for (const end of ends) {
      const browser = await signIn(slow, await linkOfOwner(slow));
      expect((await browser.call('GET', '/projects')).status).toBe(200);
      await end(browser);
      const { status, body } = await browser.call('GET', '/projects');
      expect([status, body.code]).toEqual([401, 'not_signed_in']);
    }
  });

  it('is listed where its member is signed in, and can be ended from another one', async () => {
    await db2().query('UPDATE portal.member_session SET revoked_at = now()');
    const [first, second] = [await signIn(slow, await linkOfOwner(slow)), await signIn(slow, await linkOfOwner(slow))];
    const { body } = await second.call('GET', '/member-sessions');
    expect(body.data).toMatchObject([
      { current: true, user_agent: 'A browser', method: 'link' },
      { current: false, member_id: second.session.member.id },
    ]);
    expect((await second.call('DELETE', `/member-sessions/${body.data[1].id}`)).status).toBe(204);
    expect((await first.call('GET', '/session')).status).toBe(401);
    expect((await second.call('GET', '/session')).status).toBe(200);
  });

  it('says the role of this moment, and requests after that have its rights', async () => {
    const caching = await startPortal(urlsOf(behind), 60_000, https);
    try {
      const owner = await signIn(caching, await linkOfOwner(caching));
      const invited = (await owner.call('POST', '/members', { email: 'vera@example.com', role: 'viewer' })).body;
      const viewer = await signIn(caching, invited.sign_in_link);
      expect((await viewer.call('POST', '/projects', { name: 'Mine' })).body.code).toBe('scope_missing');
      await owner.call('PATCH', `/members/${invited.id}`, { role: 'admin' });
      expect((await viewer.call('GET', '/session')).body.member.role).toBe('admin');
      expect((await viewer.call('POST', '/projects', { name: 'Mine' })).status).toBe(201);
    } finally {
      await caching.close();
    }
  });

  const db2 = () => slow.app.get(DataSource);
});
