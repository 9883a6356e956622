import { type Browser, linkOfOwner, signIn } from '../testing/browser.js';
import { type PortalWorld, startPortal } from '../testing/portal-world.js';
import { post, send } from '../testing/send.js';
import { startUpstream, type Upstream } from '../testing/upstream.js';

let portal: PortalWorld;
let behind: Upstream;
let owner: Browser;

beforeAll(async () => {
  behind = await startUpstream('service', {});
  const { url } = behind;
  const urls = { INGRESS_URL: url, GATEWAY_URL: url, VAULT_URL: url, ROUTER_URL: url };
  portal = await startPortal({ ...urls, ENGINE_URL: url, MCP_REGISTRY_URL: url }, 0);
  owner = await signIn(portal, await linkOfOwner(portal));
});
afterAll(async () => {
  await portal.close();
  await behind.close();
});

describe('a project', () => {
  it('that is closed refuses its keys and can only be read, and is as before once reopened', async () => {
    const { id } = (await owner.call('POST', '/projects', { name: 'Trial' })).body;
    const inIt = { 'x-project-id': id };
    const { key } = (await owner.call('POST', '/api-keys', { name: 'k', scopes: ['apps:read'] }, inIt)).body;
    const admin = await portal.key(['admin']);
    const byKey = (text: string, headers = {}) => send(`${portal.url}/api/v1/apps`, text, { headers });
    expect((await byKey(key)).status).toBe(200);

    expect((await owner.call('POST', `/projects/${id}/close`)).body.closed_at).not.toBeNull();
    for (const refused of [await byKey(key), await byKey(admin, inIt)]) {
      expect([refused.status, refused.body.code]).toEqual([403, 'project_closed']);
    }
    expect((await owner.call('GET', '/apps', undefined, inIt)).status).toBe(200);
    const written = await owner.call('POST', '/apps', { name: 'App' }, inIt);
    expect([written.status, written.body.code]).toEqual([409, 'project_closed']);
    expect((await owner.call('GET', '/session')).body.projects).toContainEqual({
      id,
      name: 'Trial',
      closed_at: expect.any(String),
    });

    expect((await owner.call('POST', `/projects/${id}/reopen`, undefined, inIt)).body.closed_at).toBeNull();
    expect((await byKey(key)).status).toBe(200);
    expect((await owner.call('POST', '/apps', { name: 'App' }, inIt)).status).toBe(200);
  });

  it('can be renamed, and not closed when it is the only open one, even when two are closed concurrently', async () => {
    const { id } = (await owner.call('POST', '/projects', { name: 'Second' })).body;
    expect((await owner.call('PATCH', `/projects/${id}`, { name: 'Renamed' })).body.name).toBe('Renamed');
    const open = (await owner.call('GET', '/projects')).body.data.filter(
      ({ closed_at }: { closed_at: string | null }) => closed_at === null,
    );
    const closed = await Promise.all(
      open.map(({ id: each }: { id: string }) => owner.call('POST', `/projects/${each}/close`)),
    );
    expect(closed.map(({ status }) => status).sort()).toEqual([...open.slice(1).map(() => 200), 409]);
    expect(closed.find(({ status }) => status === 409)!.body.code).toBe('last_open_project');
    for (const { id: each } of open) await owner.call('POST', `/projects/${each}/reopen`);
  });

  it('has limits of its own, which the services that enforce them receive, and which are in the audit log', async () => {
    const { id } = (await owner.call('POST', '/projects', { name: 'Limited' })).body;
    const none = {
      messages_per_second: null,
      concurrent_turns: null,
      deliveries_per_address_per_minute: null,
      day_tokens: null,
      day_cost_micros: null,
      month_tokens: null,
      month_cost_micros: null,
    };
    expect((await owner.call('GET', `/projects/${id}`)).body.limits).toEqual({ ...none, retention_days: null });
    behind.seen.length = 0;
    const limits = { ...none, messages_per_second: 5, retention_days: 7 };
    const set = await owner.call('PUT', `/projects/${id}/limits`, limits);
    expect([set.status, set.body.limits]).toEqual([200, limits]);
    const notified = behind.seen.filter(({ url }) => url === '/internal/project/limits');
    expect(notified.map(({ body }) => JSON.parse(body.toString()))).toEqual([limits, limits, limits, limits]);
    expect((await owner.call('GET', `/projects/${id}`)).body.limits).toEqual(limits);
    expect((await owner.call('PUT', `/projects/${id}/limits`, { ...limits, retention_days: 0 })).status).toBe(422);
    const stranger = await portal.key(['projects:write']);
    const refused = await send(`${portal.url}/api/v1/projects/${id}/limits`, stranger, {
      ...post(limits),
      method: 'PUT',
    });
    expect(refused.status).toBe(404);
  });

  it('belongs to its organization only, and a key without admin changes no other', async () => {
    const key = await portal.key(['projects:write']);
    const made = await send(`${portal.url}/api/v1/projects`, key, post({ name: 'By key' }));
    expect(made.status).toBe(201);
    const close = await send(`${portal.url}/api/v1/projects/${made.body.id}/close`, key, { method: 'POST' });
    expect(close.body.code).toBe('project_not_found');
  });
});

describe('an organization', () => {
  it('can be used as soon as it exists, whatever was cached of the session', async () => {
    const { url } = behind;
    const urls = { INGRESS_URL: url, GATEWAY_URL: url, VAULT_URL: url, ROUTER_URL: url };
    const cached = await startPortal({ ...urls, ENGINE_URL: url, MCP_REGISTRY_URL: url }, 900);
    const member = await signIn(cached, await linkOfOwner(cached));
    const { id } = (await member.call('POST', '/organizations', { name: 'New' })).body;
    const session = await member.call('GET', '/session', undefined, { 'x-organization-id': id });
    expect(session.body.organization).toEqual({ id, name: 'New' });
    await cached.close();
  });

  it('is created by a member who becomes its owner, with a project, and is chosen by its header', async () => {
    const made = (await owner.call('POST', '/organizations', { name: 'Second' })).body;
    const inIt = { 'x-organization-id': made.id };
    const session = (await owner.call('GET', '/session', undefined, inIt)).body;
    expect(session).toMatchObject({ organization: { id: made.id, name: 'Second' }, member: { role: 'owner' } });
    expect(session.organizations.map(({ id }: { id: string }) => id)).toEqual([portal.tenant.organizationId, made.id]);
    expect(session.projects).toHaveLength(1);
    const byProject = { 'x-project-id': session.projects[0].id };
    expect((await owner.call('GET', '/organizations/current', undefined, byProject)).body.id).toBe(made.id);
    const wrong = { ...inIt, 'x-project-id': portal.tenant.projectId };
    expect((await owner.call('GET', '/apps', undefined, wrong)).body.code).toBe('project_not_found');
    expect((await owner.call('PATCH', `/organizations/${made.id}`, { name: 'x' })).body.code).toBe(
      'organization_not_found',
    );
    const renamed = await owner.call('PATCH', `/organizations/${made.id}`, { name: 'Renamed' }, inIt);
    expect(renamed.body.name).toBe('Renamed');
    expect((await owner.call('GET', '/organizations')).body.data).toHaveLength(2);
  });

  it('is the only one that its sign-in links give access to', async () => {
    const email = 'both@example.com';
    const other = (await owner.call('POST', '/organizations', { name: 'Other' })).body;
    const inOther = { 'x-organization-id': other.id };
    await owner.call('POST', '/members', { email, role: 'admin' }, inOther);
    const { sign_in_link } = (await owner.call('POST', '/members', { email, role: 'admin' })).body;
    const both = await signIn(portal, sign_in_link);
    expect(both.session.organizations).toHaveLength(1);
    expect((await both.call('GET', '/apps', undefined, inOther)).body.code).toBe('organization_not_found');
    expect((await both.call('POST', '/organizations', { name: 'Third' })).body.code).toBe('session_limited');
    const byKey = await send(`${portal.url}/api/v1/organizations`, await portal.key(['admin']), post({ name: 'x' }));
    expect(byKey.body.code).toBe('member_required');
  });
});
