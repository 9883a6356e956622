import { type RegistryUnderTest, startRegistry } from '../testing/registry-under-test.js';
import { ScriptedMcpServer } from '../testing/scripted-mcp-server.js';

let registry: RegistryUnderTest;
let server: ScriptedMcpServer;
let registrations: Record<string, unknown>[];

beforeAll(async () => {
  registry = await startRegistry();
});

afterAll(async () => {
  await registry.close();
});

beforeEach(async () => {
  registry.stub.asked.length = 0;
  registrations = [];
  server = await ScriptedMcpServer.start();
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
  registry.call('POST', '/mcp-servers/oauth', { url: server.url, ...body }, scopes ? { scopes } : {});
const change = (path: string, to: object) => {
  const before = server.script.documents[path]!;
  server.script.documents[path] = (body) => ({ ...(before(body) as object), ...to });
};

describe('a server that wants OAuth', () => {
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
        token_endpoint_auth_method: 'client_secret_post',
        scope: 'tools.use',
      },
    ]);
    const configured = registry.stub.asked.find(({ path }) => path.endsWith('/oauth'))?.body['config'];
    expect(configured).toEqual({
      issuer: server.origin,
      authorization_url: `${server.origin}/authorize`,
      token_url: `${server.origin}/token`,
      scopes: ['tools.use'],
      pkce: true,
      token_auth_method: 'client_secret_post',
      extra_authorize_params: { resource: server.url },
    });
    const stored = registry.stub.asked.find(({ method }) => method === 'PATCH')?.body;
    expect(stored).toEqual({ fields: { client_id: 'client-1', client_secret: 'hush' } });
    registry.stub.credentials.set('cred_oauth', { access_token: 'granted' });
    const discovered = await registry.call('POST', `/mcp-servers/${body.server.id}/discover`);
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
    const made = registry.stub.asked.filter(
      ({ method, path: at }) => method === 'POST' && at === '/api/v1/credentials',
    );
    const gone = registry.stub.asked.filter(
      ({ method, path: at }) => method === 'DELETE' && at.startsWith('/api/v1/credentials/'),
    );
    expect(gone.length).toBe(made.length);
  });

  it('takes a client that was registered by hand', async () => {
    const { status } = await register({ name: 'By hand', client_id: 'mine' });
    expect({ status, registrations }).toEqual({ status: 201, registrations: [] });
    expect(registry.stub.asked.find(({ method }) => method === 'PATCH')?.body).toEqual({
      fields: { client_id: 'mine' },
    });
  });

  it('needs the right to manage credentials', async () => {
    expect((await register({}, ['tools:write'])).status).toBe(403);
  });
});
