import { type RegistryWorld, startRegistry } from '../testing/registry-world.js';
import { FakeMcpServer } from '../testing/fake-mcp-server.js';

let registry: RegistryWorld;
let server: FakeMcpServer;
let registrations: Record<string, unknown>[];

beforeAll(async () => {
  registry = await startRegistry();
});

afterAll(async () => {
  await registry.close();
});

beforeEach(async () => {
  registry.fake.asked.length = 0;
  registry.fake.versions.clear();
  registry.fake.replace = null;
  registrations = [];
  server = await FakeMcpServer.start();
  const { origin, script } = server;
  script.wants = { authorization: 'Bearer granted' };
  script.challenge = `Bearer resource_metadata="${origin}/metadata", scope="tools.use"`;
  script.documents = {
    '/metadata': () => ({ resource: server.url, authorization_servers: [origin], scopes_supported: ['other'] }),
    '/.well-known/oauth-authorization-server': () => ({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    }),
    '/register': (body) => {
      registrations.push(body);
      return { ...body, client_id: 'client-1', client_secret: 'hush' };
    },
  };
});

afterEach(async () => {
  await server.stop();
});

const register = (body: object = {}, scopes?: ('tools:write' | 'admin')[]) =>
  registry.call('POST', 'mcp-servers/oauth', { url: server.url, ...body }, scopes ? { scopes } : {});
const managed = (method: string) =>
  registry.fake.asked.find((one) => one.method === method && one.path.startsWith('/internal/mcp-servers/'));
const change = (path: string, to: object) => {
  const before = server.script.documents[path]!;
  server.script.documents[path] = (body) => ({ ...(before(body) as object), ...to });
};

describe('a server that requires OAuth', () => {
  it('is registered by its metadata, dynamically, and used once its credential is connected', async () => {
    const { status, body } = await register({ name: 'Guarded' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      credential_id: 'cred_oauth',
      connect_path: '/api/v1/credentials/cred_oauth/connect',
      server: { health: 'auth_failed', auth: { mode: 'oauth', credential_id: 'cred_oauth' }, tools: {} },
    });
    expect(registrations).toMatchObject([
      {
        redirect_uris: ['https://gatehouse.example/callback'],
        application_type: 'web',
        token_endpoint_auth_method: 'client_secret_post',
        scope: 'tools.use',
      },
    ]);
    const made = managed('POST');
    const config = {
      issuer: server.origin,
      authorization_url: `${server.origin}/authorize`,
      token_url: `${server.origin}/token`,
      scopes: ['tools.use'],
      pkce: true,
      token_auth_method: 'client_secret_post',
      resource: server.url,
    };
    expect(made?.path).toBe(`/internal/mcp-servers/${body.server.id}/credentials`);
    expect(made?.body).toMatchObject({ config, requested_by: 'key:test' });
    expect(managed('PUT')?.body).toEqual({
      client_id: 'client-1',
      client_secret: 'hush',
      config,
      requested_by: 'key:test',
    });
    registry.fake.credentials.set('cred_oauth', { access_token: 'granted' });
    const discovered = await registry.call('POST', `mcp-servers/${body.server.id}/discover`);
    expect(discovered.body).toMatchObject({ health: 'reachable', tools: { approved: 1 } });
  });

  it.each([
    ['metadata of another resource', '/metadata', { resource: 'https://other.example/mcp' }, 'oauth_resource_mismatch'],
    [
      'a server without PKCE',
      '/.well-known/oauth-authorization-server',
      { code_challenge_methods_supported: [] },
      'oauth_without_pkce',
    ],
    [
      'metadata of another issuer',
      '/.well-known/oauth-authorization-server',
      { issuer: 'https://other.example' },
      'oauth_not_found',
    ],
    ['a server in a private network', '/metadata', { authorization_servers: ['http://10.0.0.1'] }, 'oauth_not_found'],
    [
      'a server that registers nobody',
      '/.well-known/oauth-authorization-server',
      { registration_endpoint: undefined },
      'oauth_registration_refused',
    ],
  ])('is refused for %s, and leaves no credential', async (_what, path, to, code) => {
    change(path, to);
    expect((await register()).body.code).toBe(code);
    const asked = (method: string) =>
      registry.fake.asked.filter((one) => one.method === method && one.path.startsWith('/internal/mcp-servers/'))
        .length;
    expect(asked('DELETE')).toBe(asked('POST'));
  });

  it('uses a client metadata document where the authorization server supports it, and registers nowhere', async () => {
    const url = 'https://gatehouse.example/api/v1/oauth/clients/own-1';
    change('/.well-known/oauth-authorization-server', { client_id_metadata_document_supported: true });
    registry.fake.clientMetadataUrl = url;
    expect((await register({ name: 'By document' })).status).toBe(201);
    registry.fake.clientMetadataUrl = null;
    expect(managed('PUT')?.body).toMatchObject({ client_id: url, config: { token_auth_method: 'none' } });
    expect(managed('PUT')?.body).not.toHaveProperty('client_secret');
    expect(registrations).toEqual([]);
    expect((await register({ name: 'Without' })).status).toBe(201);
    expect(registrations).toHaveLength(1);
  });

  it('registers without scopes where the authorization server accepts those of the resource only later', async () => {
    server.script.documents['/register'] = (body) => {
      registrations.push(body);
      return body['scope'] ? { error: 'invalid_client_metadata' } : { ...body, client_id: 'client-2' };
    };
    expect((await register({ name: 'Without scopes' })).status).toBe(201);
    expect(registrations.map(({ scope }) => scope)).toEqual(['tools.use', undefined]);
    expect(managed('PUT')?.body).toMatchObject({ client_id: 'client-2', config: { scopes: ['tools.use'] } });
  });

  it('is refused in the words of the authorization server when that does not register it', async () => {
    server.script.documents['/register'] = () => ({ error: 'access_denied', error_description: 'ask the operator' });
    const { status, body } = await register({ name: 'Denied' });
    expect(status).toBe(422);
    expect(body.code).toBe('oauth_registration_refused');
    expect(body.detail).toMatch(/HTTP 400 .*access_denied.*ask the operator/);
    expect(managed('DELETE')).toBeDefined();
  });

  it('deletes its credential when it is unregistered, or stays while the vault is unavailable', async () => {
    const { body } = await register({ name: 'Going' });
    registry.fake.down = true;
    expect((await registry.call('DELETE', `mcp-servers/${body.server.id}`)).status).toBe(503);
    registry.fake.down = false;
    registry.fake.asked.length = 0;
    expect((await registry.call('DELETE', `mcp-servers/${body.server.id}`)).status).toBe(204);
    expect((await registry.call('GET', `mcp-servers/${body.server.id}`)).status).toBe(404);
    expect(managed('DELETE')?.path).toBe(`/internal/mcp-servers/${body.server.id}/credentials/cred_oauth`);
  });

  it('accepts a client that was registered by hand', async () => {
    const { status } = await register({ name: 'By hand', client_id: 'mine' });
    expect({ status, registrations }).toEqual({ status: 201, registrations: [] });
    expect(managed('PUT')?.body).toMatchObject({ client_id: 'mine', config: { token_auth_method: 'none' } });
  });

  it('needs the right to manage credentials', async () => {
    expect((await register({}, ['tools:write'])).status).toBe(403);
  });
});

describe('an access token that the server refuses', () => {
  const connected = async (token: string): Promise<string> => {
    const { body } = await register({ name: `Refusing ${token}` });
    registry.fake.credentials.set('cred_oauth', { access_token: 'granted' });
    registry.fake.versions.set('cred_oauth', 1);
    const { id } = body.server;
    expect((await registry.call('POST', `mcp-servers/${id}/discover`)).body.health).toBe('reachable');
    server.script.wants = { authorization: `Bearer ${token}` };
    return id;
  };
  const replaceWith = (token: string) => (id: string) => {
    registry.fake.credentials.set(id, { access_token: token });
    registry.fake.versions.set(id, (registry.fake.versions.get(id) ?? 0) + 1);
    return null;
  };
  const reports = () => registry.fake.asked.filter(({ body }) => body['refused_version'] !== undefined);
  const discover = async (id: string) => (await registry.call('POST', `mcp-servers/${id}/discover`)).body;

  it('is replaced, and the request made once more in the same session', async () => {
    const id = await connected('next');
    registry.fake.replace = replaceWith('next');
    const sessions = server.count('initialize');
    expect(await discover(id)).toMatchObject({ health: 'reachable' });
    expect(reports().map(({ body }) => body['refused_version'])).toEqual([1]);
    expect(server.count('initialize')).toBe(sessions);
  });

  it('fails the request when the next one is refused too', async () => {
    const id = await connected('another');
    registry.fake.replace = replaceWith('next');
    expect(await discover(id)).toMatchObject({ health: 'auth_failed' });
    expect(reports()).toHaveLength(1);
  });

  it('fails the request in the words of the vault when the consent has lapsed', async () => {
    const id = await connected('another');
    registry.fake.replace = () => ({ status: 409, body: { code: 'needs_reconnect', detail: 'Connect it again.' } });
    expect(await discover(id)).toMatchObject({
      health: 'auth_failed',
      health_reason: expect.stringContaining('again'),
    });
  });
});
