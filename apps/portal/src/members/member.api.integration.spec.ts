import { ServiceTokens } from '#libs/service-kit';
import { testServiceKey, until } from '#libs/testing';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, linkOfOwner, signIn, signInAnswer } from '../testing/browser.js';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';
import { post, send } from '../testing/send.js';
import { startUpstream, type Upstream } from '../testing/upstream.js';

let portal: PortalWorld;
let behind: Upstream;
let router: Server;
let owner: Browser;

beforeAll(async () => {
  behind = await startUpstream('service', {});
  router = createServer(({ url = '' }, response) => {
    if (url.startsWith('/internal/audit')) return void response.end('{"data":[]}');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': open\n\n');
  });
  await new Promise<void>((resolve) => router.listen(0, '127.0.0.1', resolve));
  const { url } = behind;
  const urls = { INGRESS_URL: url, GATEWAY_URL: url, VAULT_URL: url, ENGINE_URL: url, MCP_REGISTRY_URL: url };
  const own = { ROUTER_URL: `http://127.0.0.1:${(router.address() as AddressInfo).port}` };
  portal = await startPortal({ ...urls, ...own }, 0);
  owner = await signIn(portal, await linkOfOwner(portal));
});
afterAll(async () => {
  await portal.close();
  await behind.close();
  router.closeAllConnections();
  await new Promise((resolve) => router.close(resolve));
});

let people = 0;
const invite = (by: Browser, role: string, email = `person-${(people += 1)}@example.com`) =>
  by.call('POST', '/members', { email, role });
const member = async (role: string): Promise<Browser> => {
  const { body } = await invite(owner, role);
  return signIn(portal, body.sign_in_link);
};
const change = (by: Browser, who: Browser, body: object) => by.call('PATCH', `/members/${who.session.member.id}`, body);
const codeOf = async (answer: ReturnType<Browser['call']>) => {
  const { status, body } = await answer;
  return [status, body?.code];
};

describe('an invited member', () => {
  it('is listed before they accept, and active once the link signed them in', async () => {
    const invited = (await invite(owner, 'viewer', 'Ada@Example.com')).body;
    expect(invited).toMatchObject({ name: 'Ada', email: 'ada@example.com', role: 'viewer', state: 'invited' });
    expect(await codeOf(invite(owner, 'viewer', 'ADA@example.com'))).toEqual([409, 'already_member']);
    const ada = await signIn(portal, invited.sign_in_link);
    expect((await ada.call('GET', `/members/${invited.id}`)).body).toMatchObject({ state: 'active' });
  });

  it('who is a viewer reads everything and changes nothing', async () => {
    const viewer = await member('viewer');
    for (const path of ['/apps', '/members', '/roles', '/projects', '/api-keys', '/member-sessions']) {
      expect([path, (await viewer.call('GET', path)).status]).toEqual([path, 200]);
    }
    expect(viewer.session.scopes.filter((scope: string) => !scope.endsWith(':read'))).toEqual([]);
    for (const [path, body] of [
      ['/projects', { name: 'Mine' }],
      ['/organizations', { name: 'Mine' }],
      ['/members', { email: 'x@example.com', role: 'viewer' }],
      ['/api-keys', { name: 'k', scopes: ['apps:read'] }],
    ] as const) {
      expect([path, ...(await codeOf(viewer.call('POST', path, body)))]).toEqual([path, 403, 'scope_missing']);
    }
    const others = `/member-sessions?member_id=${owner.session.member.id}`;
    expect(await codeOf(viewer.call('GET', others))).toEqual([403, 'scope_missing']);
  });
});

describe('nobody', () => {
  it('grants more than they have, or changes somebody who has more', async () => {
    const admin = await member('admin');
    expect(await codeOf(invite(admin, 'owner'))).toEqual([403, 'role_not_grantable']);
    expect(await codeOf(change(admin, admin, { role: 'owner' }))).toEqual([403, 'role_not_grantable']);
    const ownerPath = `/members/${owner.session.member.id}`;
    for (const attempt of [
      change(admin, owner, { suspended: true }),
      admin.call('DELETE', ownerPath),
      admin.call('POST', `${ownerPath}/sign-in-link`),
      admin.call('GET', `/member-sessions?member_id=${owner.session.member.id}`),
    ]) {
      expect(await codeOf(attempt)).toEqual([403, 'role_not_grantable']);
    }
    expect((await invite(admin, 'developer')).status).toBe(201);
    const manager = await portal.key(['members:manage', 'apps:read']);
    const wish = post({ email: 'by-key@example.com', role: 'viewer' });
    expect((await send(`${portal.url}/api/v1/members`, manager, wish)).body.code).toBe('role_not_grantable');
  });

  it('removes the last owner, even in two concurrent requests', async () => {
    expect(await codeOf(change(owner, owner, { role: 'viewer' }))).toEqual([409, 'last_owner']);
    expect(await codeOf(change(owner, owner, { suspended: true }))).toEqual([409, 'last_owner']);
    const second = await member('owner');
    const both = await Promise.all([
      change(owner, second, { role: 'admin' }),
      change(second, owner, { role: 'admin' }),
    ]);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    // The remaining owner reverts it, for the tests that follow.
    const [left, lowered] = both[0].status === 200 ? [owner, second] : [second, owner];
    expect((await change(left, lowered, { role: 'owner' })).status).toBe(200);
  });
});

describe('a member who is suspended, demoted or removed', () => {
  it('loses the rights at once, as do the keys that they created', async () => {
    const developer = await member('developer');
    const made = (await developer.call('POST', '/api-keys', { name: 'ci', scopes: ['apps:write', 'keys:write'] })).body;
    expect(made).toMatchObject({ made_by_key_id: null, made_by_user_id: developer.session.member.id });
    const call = (key: string, path: string, init?: RequestInit) => send(`${portal.url}/api/v1${path}`, key, init);
    const child = (await call(made.key, '/api-keys', post({ name: 'child', scopes: ['apps:read'] }))).body;
    expect(child.made_by_user_id).toBe(developer.session.member.id);

    await call(child.key, '/apps');
    const token = behind.seen.at(-1)!.headers.authorization!.replace('Bearer ', '');
    const principal = await new ServiceTokens(testServiceKey, 'adapter-gateway').verify(token);
    expect(principal).toMatchObject({ subject: `key:${child.id}`, person: `user:${developer.session.member.id}` });

    await change(owner, developer, { role: 'viewer' });
    const wish = { name: 'k', scopes: ['apps:read'] };
    expect(await codeOf(developer.call('POST', '/api-keys', wish))).toEqual([403, 'scope_missing']);
    expect((await call(made.key, '/api-keys', post(wish))).body.code).toBe('scope_missing');

    await change(owner, developer, { suspended: true });
    expect(await codeOf(developer.call('GET', '/apps'))).toEqual([401, 'not_signed_in']);
    for (const { key } of [made, child]) expect((await call(key, '/apps')).status).toBe(401);
    await change(owner, developer, { suspended: false });
    expect((await developer.call('GET', '/apps')).status).toBe(200);
    expect((await call(child.key, '/apps')).status).toBe(200);

    await owner.call('DELETE', `/members/${developer.session.member.id}`);
    expect(await codeOf(developer.call('GET', '/apps'))).toEqual([401, 'not_signed_in']);
    expect((await call(child.key, '/apps')).status).toBe(401);
  });

  it('loses their open live streams; other streams continue', async () => {
    const listen = async (browser: Browser): Promise<{ ended: boolean }> => {
      const answer = await fetch(`${portal.url}/api/v1/events/stream`, { headers: { cookie: browser.cookie } });
      expect(answer.status).toBe(200);
      const listener = { ended: false };
      const over = (): void => void (listener.ended = true);
      void answer.text().then(over, over);
      return listener;
    };
    const operator = await member('operator');
    const [own, other] = [await listen(operator), await listen(owner)];
    await change(owner, operator, { role: 'viewer' });
    await until('it has ended', () => own.ended);
    expect(other.ended).toBe(false);
  });

  it('is not signed in by a link that was created before', async () => {
    const { body } = await invite(owner, 'viewer');
    await owner.call('PATCH', `/members/${body.id}`, { suspended: true });
    expect((await signInAnswer(portal, body.sign_in_link)).status).toBe(401);
    expect(await codeOf(owner.call('POST', `/members/${body.id}/sign-in-link`))).toEqual([409, 'member_suspended']);
  });
});

describe('the audit log', () => {
  it('says who did what to whom, by name, in each project', async () => {
    const admin = await member('admin');
    const { body } = await invite(admin, 'viewer');
    await admin.call('PATCH', `/members/${body.id}`, { role: 'operator' });
    const project = (await admin.call('POST', '/projects', { name: 'Another' })).body;
    for (const [name, headers] of [
      ['member.changed', {}],
      ['member.changed', { 'x-project-id': project.id }],
    ] as const) {
      const log = (await owner.call('GET', '/audit?limit=10', undefined, headers)).body;
      expect(log.data).toContainEqual(
        expect.objectContaining({
          action: name,
          actor: `user:${admin.session.member.id}`,
          actor_name: admin.session.member.name,
          subject: body.id,
          before: { role: 'viewer' },
          after: { role: 'operator' },
          request_id: expect.stringMatching(/^req_/),
        }),
      );
    }
  });
});
