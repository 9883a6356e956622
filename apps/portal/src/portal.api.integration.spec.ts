import { newId } from '#libs/contracts';
import { OperationsServer, ServiceTokens } from '#libs/service-kit';
import { testServiceKey } from '#libs/testing';
import { DataSource } from 'typeorm';
import { Project } from './projects/project.entity.js';
import { type PortalWorld, startPortal } from './testing/portal-world.js';
import { post, send } from './testing/send.js';
import { startUpstream, type Upstream } from './testing/upstream.js';

let portal: PortalWorld;
let ingress: Upstream;
let gateway: Upstream;
let vault: Upstream;
let admin: string;

const schemas = (name: string, type: string) => ({ components: { schemas: { [name]: { type } } } });
const operation = (schema: string) => ({ get: { responses: { 200: { $ref: `#/components/schemas/${schema}` } } } });

beforeAll(async () => {
  [ingress, gateway, vault] = await Promise.all([
    startUpstream('ingress', {}),
    startUpstream('gateway', {
      paths: { '/api/v1/apps': operation('View'), '/internal/apps': {} },
      ...schemas('View', 'object'),
    }),
    startUpstream('vault', { paths: { '/api/v1/credentials': operation('View') }, ...schemas('View', 'string') }),
  ]);
  // Nobody listens there: a port that was just left would be another server's by then.
  const dead = 'http://127.0.0.1:9';
  portal = await startPortal(
    {
      INGRESS_URL: ingress.url,
      GATEWAY_URL: gateway.url,
      VAULT_URL: vault.url,
      ROUTER_URL: dead,
      ENGINE_URL: dead,
      MCP_REGISTRY_URL: dead,
    },
    0,
  );
  admin = await portal.key(['admin']);
});

afterAll(async () => {
  await portal.close();
  await Promise.all([ingress.close(), gateway.close(), vault.close()]);
});

const call = (path: string, key: string | null, init?: RequestInit) => send(`${portal.url}${path}`, key, init);

describe('authentication', () => {
  it.each([
    '/api/v1/apps',
    '/api/v1/apps/x/y',
    '/api/v1/%61pps',
    '/api/v1/credentials',
    '/api/v1/projects',
    '/api/v1/api-keys',
  ])('refuses %s without a key or with a wrong one, and asks no service', async (path) => {
    const asked = gateway.seen.length + vault.seen.length;
    for (const key of [null, 'gh_short', `gh_${'a'.repeat(43)}`]) {
      const { status, type, body } = await call(path, key);
      expect({ status, type, code: body.code }).toEqual({
        status: 401,
        type: 'application/problem+json',
        code: 'not_authenticated',
      });
    }
    expect(gateway.seen.length + vault.seen.length).toBe(asked);
  });

  it('refuses a service token from outside, an expired key and a revoked one', async () => {
    const principal = { ...portal.tenant, subject: 'service:x', scopes: ['service' as const] };
    const tokens = new ServiceTokens(testServiceKey, 'engine');
    expect((await call('/api/v1/projects', await tokens.mint('portal', principal))).status).toBe(401);
    expect((await call('/api/v1/projects', await portal.key(['admin'], new Date(Date.now() - 1)))).status).toBe(401);
    const made = await call('/api/v1/api-keys', admin, post({ name: 'brief', scopes: ['apps:read'] }));
    expect((await call('/api/v1/apps', made.body.key)).status).toBe(200);
    expect((await call(`/api/v1/api-keys/${made.body.id}`, admin, { method: 'DELETE' })).status).toBe(204);
    expect((await call('/api/v1/apps', made.body.key)).status).toBe(401);
  });

  it('gives the service a token made for it, which names the caller and does not contain the key', async () => {
    const key = await portal.key(['apps:read', 'events:write']);
    const context = { 'x-organization-id': portal.tenant.organizationId, 'x-project-id': portal.tenant.projectId };
    await call('/api/v1/apps?limit=2', key, { headers: context });
    const { url, headers } = gateway.seen.at(-1)!;
    expect(url).toBe('/api/v1/apps?limit=2');
    expect(JSON.stringify(headers)).not.toContain(key);
    const token = headers.authorization!.replace('Bearer ', '');
    expect(await new ServiceTokens(testServiceKey, 'adapter-gateway').verify(token)).toEqual({
      ...portal.tenant,
      subject: expect.stringMatching(/^key:key_/),
      person: expect.stringMatching(/^key:key_/),
      scopes: ['apps:read', 'events:write'],
    });
    await expect(new ServiceTokens(testServiceKey, 'credential-vault').verify(token)).rejects.toThrow();
  });
});

describe('the context headers', () => {
  it('choose another project of the organization for an admin, and not for others', async () => {
    const other = newId('prj');
    const { organizationId } = portal.tenant;
    await portal.app
      .get(DataSource)
      .manager.insert(Project, { id: other, organization_id: organizationId, name: 'Other' });
    const headers = { 'x-project-id': other };
    expect((await call('/api/v1/apps', admin, { headers })).status).toBe(200);
    const token = gateway.seen.at(-1)!.headers.authorization!.replace('Bearer ', '');
    expect((await new ServiceTokens(testServiceKey, 'adapter-gateway').verify(token)).projectId).toBe(other);
    const plain = await call('/api/v1/apps', await portal.key(['apps:read']), { headers });
    expect({ status: plain.status, code: plain.body.code }).toEqual({ status: 404, code: 'project_not_found' });
  });

  it('are refused for what is not in the organization', async () => {
    const asked = gateway.seen.length;
    const foreign = newId('prj');
    await portal.app
      .get(DataSource)
      .manager.insert(Project, { id: foreign, organization_id: 'org_other', name: 'Foreign' });
    expect((await call('/api/v1/apps', admin, { headers: { 'x-project-id': foreign } })).body.code).toBe(
      'project_not_found',
    );
    expect((await call('/api/v1/apps', admin, { headers: { 'x-organization-id': 'org_other' } })).body.code).toBe(
      'organization_not_found',
    );
    expect(gateway.seen.length).toBe(asked);
  });
});

describe('API keys', () => {
  it('are shown once and listed without the key', async () => {
    const made = await call('/api/v1/api-keys', admin, post({ name: 'ci', scopes: ['apps:write'] }));
    expect(made.status).toBe(201);
    expect(made.body.key).toMatch(/^gh_[\w-]{43}$/);
    const list = await call('/api/v1/api-keys', admin);
    expect(list.body.data[0]).toMatchObject({ name: 'ci', last4: made.body.key.slice(-4), revoked_at: null });
    expect(list.text).not.toContain(made.body.key);
  });

  it('pass on only scopes that their maker has', async () => {
    const maker = await portal.key(['keys:write', 'apps:write']);
    const make = async (scopes: string[]) =>
      (await call('/api/v1/api-keys', maker, post({ name: 'k', scopes }))).status;
    expect(await make(['apps:read', 'keys:read'])).toBe(201);
    expect(await make(['credentials:read'])).toBe(403);
    expect(await make(['admin'])).toBe(403);
    expect((await call('/api/v1/api-keys', admin, post({ name: 'k', scopes: ['service'] }))).status).toBe(422);
  });

  it('need their own scopes to be managed', async () => {
    const reader = await portal.key(['apps:write']);
    expect((await call('/api/v1/api-keys', reader)).body.code).toBe('scope_missing');
  });
});

describe('organizations and projects', () => {
  it('can be read by any key, within its reach', async () => {
    const key = await portal.key(['apps:read']);
    expect((await call('/api/v1/organizations/current', key)).body).toMatchObject({
      id: portal.tenant.organizationId,
      name: 'Default',
    });
    const { body } = await call('/api/v1/projects', key);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([portal.tenant.projectId]);
    expect((await call('/api/v1/projects/prj_none', key)).status).toBe(404);
  });
});

describe('input that would break its reader', () => {
  it('is refused with its actual fault: U+0000, a body of 20,000 levels, a URL that does not decode', async () => {
    const admin = await portal.key(['admin']);
    const refusal = async (path: string, init?: RequestInit): Promise<unknown[]> => {
      const { status, type, body } = await call(path, admin, init);
      return [status, type, body.code];
    };
    const json = 'application/problem+json';
    expect(await refusal('/api/v1/api-keys/%00', { method: 'DELETE' })).toEqual([422, json, 'invalid_text']);
    const deep = `{"name":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const made = { method: 'POST', headers: { 'content-type': 'application/json' }, body: deep };
    expect(await refusal('/api/v1/api-keys', made)).toEqual([422, json, 'too_deep']);
    expect(await refusal('/api/v1/projects/%ff')).toEqual([400, json, 'invalid_request']);
  });
});

describe('the API description', () => {
  it('joins the services that answer and names those that do not', async () => {
    const { status, body } = await call('/api/v1/openapi.json', null);
    expect(status).toBe(200);
    expect(body.openapi).toBe('3.1.0');
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining(['/api/v1/apps', '/api/v1/credentials', '/api/v1/api-keys', '/api/v1/webhooks/{token}']),
    );
    expect(Object.keys(body.paths).filter((path) => !path.startsWith('/api/v1/'))).toEqual([]);
    expect(body['x-gatehouse-missing']).toEqual(['router', 'engine', 'mcp-registry']);
    expect(body.components.securitySchemes.bearer.scheme).toBe('bearer');
  });

  it('names the scopes of every operation, and its refusals', async () => {
    const { body } = await call('/api/v1/openapi.json', null);
    const { get, post } = body.paths['/api/v1/api-keys'];
    expect([get.security, post.security]).toEqual([[{ bearer: ['keys:read'] }], [{ bearer: ['keys:write'] }]]);
    expect(post.responses.default.$ref).toBe('#/components/responses/Problem');
    const refusal = body.components.responses.Problem.content['application/problem+json'].schema;
    expect(refusal.$ref).toBe('#/components/schemas/Problem');
    expect(body.components.schemas.Problem.required).toContain('code');
  });

  it('keeps schemas apart that two services give the same name', async () => {
    const { body } = await call('/api/v1/openapi.json', null);
    expect(body.components.schemas).toMatchObject({
      View: { type: 'object' },
      'credential-vault_View': { type: 'string' },
    });
    expect(body.paths['/api/v1/credentials'].get.responses[200].$ref).toBe(
      '#/components/schemas/credential-vault_View',
    );
  });
});

describe('the front page without a console', () => {
  it('says what this is and that it is up, and nothing of the services behind it', async () => {
    const { status, type, text } = await call('/', null);
    expect({ status, type }).toEqual({ status: 200, type: 'text/html' });
    expect(text).toContain('Gatehouse is running');
    expect(text).not.toMatch(/adapter-gateway|router|no answer/);
  });

  it('leaves metrics and the states of services to the operations port', async () => {
    for (const path of ['/metrics', '/services']) expect((await call(path, null)).status).toBe(404);
    const operations = portal.app.get(OperationsServer).http;
    const { services } = (await operations.inject('/services')).json();
    expect(services).toContainEqual({ service: 'router', state: 'no answer' });
    expect(services).toContainEqual({ service: 'adapter-gateway', state: 'ready' });
    expect((await operations.inject('/metrics')).body).toContain('gatehouse_http_request_seconds');
  });
});
