import { ServiceTokens } from '#libs/service-kit';
import { type As, home, testServiceKey } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { type ClusterIssuer, startCluster } from '../testing/cluster-issuer.js';
import { asService, vaultWorld, type VaultWorld, writer } from '../testing/vault-world.js';

let vault: VaultWorld;
let cluster: ClusterIssuer;
let named = 0;

beforeAll(async () => {
  cluster = await startCluster();
  vault = await vaultWorld(new KekRing('k1', new Map([['k1', randomBytes(32)]])), cluster.trust);
});

afterAll(async () => {
  await vault.close();
  await cluster.close();
});

const config = {
  authorization_url: 'https://as.example/authorize',
  token_url: 'https://as.example/token',
  resource: 'https://mcp.example/mcp',
};
const client = { client_id: 'ours', client_secret: 'hush', config, requested_by: 'key:7' };
const wish = () => ({ name: `managed ${(named += 1)}`, config, requested_by: 'key:7' });

/** How a service calls with a token of this issuer. */
type Caller = (service: string, organizationId: string) => Promise<As>;

const issuers: [string, Caller][] = [
  ['our keys', async (service, organizationId) => ({ ...asService(service), organizationId })],
  [
    'the cluster',
    async (service, organizationId) => ({
      headers: {
        authorization: `Bearer ${await cluster.tokenOf(service)}`,
        'x-organization-id': organizationId,
        'x-project-id': home.projectId,
      },
    }),
  ],
];

describe.each(issuers)('credentials of MCP servers, with the tokens of %s', (issuer, as) => {
  const call = async (
    service: string,
    method: string,
    path: string,
    body?: object,
    organizationId = home.organizationId,
  ) =>
    vault.internal<{ id: string; code: string; errors: object[] }>(
      method,
      path,
      body,
      await as(service, organizationId),
    );
  const of = (server: string, id = '') => `mcp-servers/${server}-${issuer.length}/credentials${id && `/${id}`}`;
  const made = async (server: string): Promise<string> => {
    const answer = await call('mcp-registry', 'POST', of(server), wish());
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body.id;
  };

  it('are created, given their client, read by their server and deleted with it by mcp-registry', async () => {
    const answer = await call('mcp-registry', 'POST', of('mcp_1'), wish());
    expect(answer.body).toMatchObject({
      redirect_uri: expect.stringMatching(/\/oauth\/callback\/own-/),
      client_metadata_url: null,
    });
    const id = answer.body.id;
    expect((await call('mcp-registry', 'PUT', of('mcp_1', id), client)).status).toBe(204);
    const view = await vault.call('GET', `credentials/${id}`);
    expect(view.body).toMatchObject({
      type: 'oauth2',
      fields: ['client_id', 'client_secret'],
      managed_for: `mcp_server:mcp_1-${issuer.length}`,
    });
    const bindings = await vault.call('GET', `credentials/${id}/bindings`);
    expect(bindings.body.data).toMatchObject([{ consumer_kind: 'mcp_server', consumer_id: `mcp_1-${issuer.length}` }]);
    const audit = await vault.call('GET', `credentials/${id}/audit`);
    expect(audit.body.data).toContainEqual(
      expect.objectContaining({ actor: 'service:mcp-registry', action: 'created', reason: 'for key:7' }),
    );
    expect((await call('mcp-registry', 'DELETE', of('mcp_1', id))).status).toBe(204);
    expect((await vault.call('GET', `credentials/${id}`)).status).toBe(404);
  });

  it.each(['engine', 'adapter-gateway', 'webhook-ingress', 'router', 'credential-vault', 'portal'])(
    'are not for %s',
    async (service) => {
      const id = await made('mcp_2');
      expect((await call(service, 'POST', of('mcp_2'), wish())).body.code).toBe('not_in_policy');
      expect((await call(service, 'PUT', of('mcp_2', id), client)).body.code).toBe('not_in_policy');
      expect((await call(service, 'DELETE', of('mcp_2', id))).body.code).toBe('not_in_policy');
    },
  );

  it('give no access to credentials that people created, even if one is bound to the same server', async () => {
    const fields = { client_id: 'theirs', client_secret: 'theirs' };
    const body = { name: `theirs ${issuer}`, type: 'oauth2', grant: 'authorization_code', fields };
    const { id } = (await vault.call('POST', 'credentials', body)).body;
    const consumer = { kind: 'mcp_server', id: `mcp_3-${issuer.length}` };
    expect((await call('mcp-registry', 'PUT', 'bindings', { credential_id: id, consumer })).status).toBe(200);
    expect((await call('mcp-registry', 'PUT', of('mcp_3', id), client)).status).toBe(404);
    expect((await call('mcp-registry', 'DELETE', of('mcp_3', id))).status).toBe(404);
    for (const method of ['PATCH', 'DELETE'] as const) {
      const change = method === 'PATCH' ? { name: 'x' } : undefined;
      const refused = await vault.call(
        method,
        `credentials/${id}`,
        change,
        await as('mcp-registry', home.organizationId),
      );
      expect(refused.body.code).toBe('scope_missing');
    }
    const named = { ...body, name: 'by a service' };
    const create = await vault.call('POST', 'credentials', named, await as('mcp-registry', home.organizationId));
    expect(create.body.code).toBe('scope_missing');
  });

  it('are not available to another server, or to another organization', async () => {
    const id = await made('mcp_4');
    expect((await call('mcp-registry', 'PUT', of('mcp_5', id), client)).status).toBe(404);
    expect((await call('mcp-registry', 'DELETE', of('mcp_4', id), undefined, 'org_b')).status).toBe(404);
    expect((await call('mcp-registry', 'PUT', of('mcp_4', id), client, 'org_b')).status).toBe(404);
  });

  it('stay while somebody uses them for something else', async () => {
    const id = await made('mcp_6');
    const binding = { consumer_kind: 'app', consumer_id: 'app_1' };
    await vault.call('POST', `credentials/${id}/bindings`, binding);
    expect((await call('mcp-registry', 'DELETE', of('mcp_6', id))).body.code).toBe('credential_in_use');
    expect((await vault.call('GET', `credentials/${id}`)).status).toBe(200);
  });

  it('leave nothing behind when their configuration is wrong', async () => {
    const { name, ...asked } = wish();
    const wrong = { ...asked, name, config: { ...config, resource: 'https://mcp.example/#part' } };
    const answer = await call('mcp-registry', 'POST', of('mcp_7'), wrong);
    expect(answer.body).toMatchObject({ code: 'invalid_oauth_config', errors: [{ field: 'oauth_config.resource' }] });
    const { body } = await vault.call('GET', 'credentials?limit=100');
    expect(body.data.map((one: { name: string }) => one.name)).not.toContain(name);
  });

  it('are not for people', async () => {
    expect((await vault.internal('POST', of('mcp_8'), wish(), writer)).body.code).toBe('scope_missing');
  });
});

describe('a service', () => {
  it('cannot claim the scopes of people', async () => {
    const scopes = ['service' as const, 'credentials:write' as const, 'admin' as const];
    const claims = { ...home, subject: 'service:mcp-registry', scopes };
    const token = await new ServiceTokens(testServiceKey, 'mcp-registry').mint('credential-vault', claims);
    const headers = { authorization: `Bearer ${token}` };
    const payload = { name: 'own word', type: 'api_key', fields: { token: 't' } };
    const answer = await vault.app.inject({ method: 'POST', url: '/api/v1/credentials', headers, payload });
    expect(answer.json()).toMatchObject({ status: 403, code: 'scope_missing' });
  });
});

describe('the client metadata document', () => {
  it('can be read by anyone, and sends browsers only to our callback', async () => {
    const answer = await vault.app.inject({ method: 'GET', url: '/api/v1/oauth/clients/own-0123' });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      client_id: 'http://127.0.0.1:8080/api/v1/oauth/clients/own-0123',
      client_name: 'Gatehouse',
      redirect_uris: ['http://127.0.0.1:8080/api/v1/oauth/callback/own-0123'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
    expect((await vault.app.inject({ method: 'GET', url: '/api/v1/oauth/clients/%2e%2e%2fx' })).statusCode).toBe(404);
  });
});
