import type { CredentialBinding } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { until } from '#libs/testing';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type EngineWorld, engineWorld, turnOf } from '../../../testing/engine-world.js';
import { type FakeModel } from '../../../testing/fake-model.js';
import { type FakeServices, toolOf, toolsetOf } from '../../../testing/fake-services.js';
import { agentOf, turnsOf } from '../../../testing/turns-of.js';
import { credentialOf } from '../../../testing/bound-to.js';
import { credentialHeader } from './host-credential.js';

describe('a credential of http_request', () => {
  let world: EngineWorld;
  let model: FakeModel;
  let services: FakeServices;
  let agent: string;
  let bindings: CredentialBinding[] = [];
  let records: Record<string, object> = {};
  let seen: (string | undefined)[] = [];
  let replace: (() => object) | null = null;
  let accepts = (_authorization: string | undefined): boolean => true;
  const echo = createServer((request, response) => {
    seen.push(request.headers.authorization);
    if (request.url === '/login' || accepts(request.headers.authorization) === false) response.writeHead(401).end();
    else if (request.url === '/redirected') response.writeHead(302, { location: '/login' }).end();
    else if (request.url === '/away') response.writeHead(302, { location: `http://localhost:${port()}/there` }).end();
    else response.writeHead(400, { 'www-authenticate': 'Bearer' }).end(`you sent ${request.headers.authorization}`);
  });
  const port = () => (echo.address() as AddressInfo).port;

  beforeAll(async () => {
    world = await engineWorld();
    ({ model, services } = world);
    await new Promise<void>((resolve) => echo.listen(0, resolve));
    services.on('/internal/toolsets', () =>
      toolsetOf([
        toolOf({
          name: 'http_request',
          source: 'builtin',
          credential_bindings: bindings,
        }),
      ]),
    );
    services.on('/internal/credentials/resolve', ({ body }) => {
      const record = records[String(body['credential_id'])];
      if (replace && body['refused_version'] !== undefined) return replace();
      if (!record) return { status: 404, code: 'credential_not_found' };
      // Like the vault: without requested fields, it returns the type only.
      return body['fields'] ? { ...record, fields: {}, credentials: {} } : record;
    });
    agent = await agentOf(world, { skills: ['skl_desk'] });
    await world.start({ GATEHOUSE_EGRESS_ALLOW: ['127.0.0.1', 'localhost'] });
  });
  beforeEach(() => {
    seen = [];
    accepts = () => true;
    services.requests.length = 0;
    bindings = [{ credential_id: 'cred_1', as: 'api', skill_id: 'skl_desk' }];
    records = { cred_1: { type: 'text', fields: { token: 'swordfish', hosts: `127.0.0.1:${port()}` } } };
  });
  afterAll(async () => {
    await world.close();
    await new Promise((resolve) => echo.close(resolve));
  });

  const get = async (url: string, credential: string | null = 'api') => {
    const named = credential === null ? {} : { credential };
    model.script(
      [{ name: 'desk__http_request', arguments: JSON.stringify({ method: 'GET', url, ...named }) }],
      'Done.',
    );
    const turn = turnOf({ agent_id: agent });
    await turnsOf(world).run(turn);
    return (await turnsOf(world).results(turn.turn_id))[0];
  };

  it('goes to its own host, and is removed from the answer of that host', async () => {
    const result = await get(`http://127.0.0.1:${port()}/`);
    expect(seen).toEqual(['Bearer swordfish']);
    expect(result).toMatchObject({ status: 400, body: 'you sent [credential]' });
    expect(JSON.stringify(model.requests)).not.toContain('swordfish');
  });

  describe('whose access token the server refuses', () => {
    const oauth = (version: number) => ({
      type: 'oauth2',
      fields: { access_token: `token-${version}` },
      token_version: version,
    });
    const reported = () =>
      services.requests.flatMap(({ path, body }) =>
        path === '/internal/credentials/resolve' ? (body['refused_version'] ?? []) : [],
      );
    const call = async (method: string, path: string) => {
      const url = `http://127.0.0.1:${port()}${path}`;
      model.script([{ name: 'desk__http_request', arguments: JSON.stringify({ method, url }) }], 'Done.');
      const turn = turnOf({ agent_id: agent });
      await turnsOf(world).run(turn);
      return (await turnsOf(world).results(turn.turn_id))[0];
    };
    beforeEach(() => {
      bindings = [{ credential_id: 'cred_1', as: 'api', skill_id: 'skl_desk', hosts: [`127.0.0.1:${port()}`] }];
      records = { cred_1: oauth(1) };
      accepts = (authorization) => authorization !== 'Bearer token-1';
      replace = () => oauth(2);
    });
    afterEach(() => {
      replace = null;
    });

    it.each(['GET', 'POST'])('is replaced once, and the request is made again: %s', async (method) => {
      const result = await call(method, '/');
      expect(result).toMatchObject({ status: 400, body: 'you sent [credential]' });
      expect(seen).toEqual(['Bearer token-1', 'Bearer token-2']);
      expect(reported()).toEqual([1]);
    });

    it('is not replaced again when the other one is refused too', async () => {
      accepts = () => false;
      expect(await call('GET', '/')).toMatchObject({ status: 401 });
      expect(seen).toEqual(['Bearer token-1', 'Bearer token-2']);
    });

    it('gives the refusal to the model when there is no other', async () => {
      replace = () => oauth(1);
      expect(await call('POST', '/')).toMatchObject({ status: 401 });
      expect(seen).toEqual(['Bearer token-1']);
    });

    it('says that it must be connected again when it cannot be replaced', async () => {
      replace = () => ({ status: 409, code: 'needs_reconnect' });
      const { error } = await call('GET', '/');
      expect(error).toMatchObject({
        code: 'credential_unavailable',
        message: expect.stringContaining('needs_reconnect'),
      });
    });

    it('is not replaced for the answer of an address to which a redirect led', async () => {
      accepts = () => true;
      expect(await call('POST', '/redirected')).toMatchObject({ status: 401 });
      expect(reported()).toEqual([]);
      expect(seen).toHaveLength(2);
    });

    it('is not reported where it is no access token of a grant', async () => {
      records = { cred_1: { type: 'api_key', fields: { token: 'token-1' } } };
      expect(await call('GET', '/')).toMatchObject({ status: 401 });
      expect(reported()).toEqual([]);
    });
  });

  it('goes to no other host, neither directly nor by a redirect', async () => {
    expect((await get(`http://localhost:${port()}/`)).error.code).toBe('credential_not_for_host');
    expect(seen).toEqual([]);
    await get(`http://127.0.0.1:${port()}/away`);
    expect(seen).toEqual(['Bearer swordfish', undefined]);
  });

  it('is refused as no_credential where the Skill binds none of that name', async () => {
    expect((await get(`http://127.0.0.1:${port()}/`, 'other')).error.code).toBe('no_credential');
  });

  it.each([
    ['an api_key', { type: 'api_key', fields: { token: 'swordfish' } }],
    ['an oauth2', { type: 'oauth2', fields: { access_token: 'swordfish', client_id: 'c' } }],
    ['a text', { type: 'text', fields: { api_key: 'swordfish' } }],
  ])('of %s record goes where its Skill binds it', async (_kind, record) => {
    records = { cred_1: record };
    const [binding] = bindings;
    bindings = [{ ...binding!, hosts: [`127.0.0.1:${port()}`] }];
    expect((await get(`http://127.0.0.1:${port()}/`)).status).toBe(400);
    // Its host alone selects it too.
    expect((await get(`http://127.0.0.1:${port()}/`, null)).status).toBe(400);
    expect(seen).toEqual(['Bearer swordfish', 'Bearer swordfish']);
    expect((await get(`http://localhost:${port()}/`)).error.code).toBe('credential_not_for_host');
    await get(`http://localhost:${port()}/`, null);
    expect(seen.at(-1)).toBeUndefined();
  });

  it('goes nowhere without a host, and says so', async () => {
    records = { cred_1: { type: 'api_key', fields: { token: 'swordfish' } } };
    expect((await get(`http://127.0.0.1:${port()}/`)).error).toMatchObject({
      code: 'credential_without_host',
      message: expect.stringContaining('bound to no host'),
    });
    expect(seen).toEqual([]);
  });

  it('that stays behind is named in the result and in the timeline', async () => {
    records = { cred_1: { type: 'api_key', fields: { token: 'swordfish' } } };
    const [binding] = bindings;
    const result = await get(`http://127.0.0.1:${port()}/`, null);
    expect(result).toMatchObject({
      status: 400,
      note: expect.stringMatching(/without a credential \(api is bound to no host/),
    });
    bindings = [{ ...binding!, hosts: ['api.example.com'] }];
    const other = await get(`http://127.0.0.1:${port()}/`, null);
    expect(other.note).toContain('(api goes to api.example.com)');
    expect(seen).toEqual([undefined, undefined]);
    const noted = await until('the timeline has it', async () => {
      const sql = `SELECT detail FROM ${everyEntry} e WHERE reason = 'tool_called' AND detail->>'note' IS NOT NULL`;
      const { rows } = await world.pool.query(sql);
      return rows.length >= 2 ? rows : null;
    });
    expect(noted[0].detail).toMatchObject({ tool: 'desk__http_request', note: expect.stringContaining('api') });
    bindings = [{ ...binding!, hosts: [`127.0.0.1:${port()}`] }];
    expect(await get(`http://127.0.0.1:${port()}/`, null)).not.toHaveProperty('note');
    expect((await get(`http://127.0.0.1:${port()}/away`, null)).note).toMatch(/redirected to localhost:\d+, without/);
    bindings = [];
    expect(await get(`http://127.0.0.1:${port()}/`, null)).not.toHaveProperty('note');
  });

  it('is narrowed by its Skill, never widened beyond its own record', async () => {
    const [binding] = bindings;
    bindings = [{ ...binding!, hosts: [`localhost:${port()}`] }];
    expect((await get(`http://localhost:${port()}/`)).error.code).toBe('credential_not_for_host');
    expect((await get(`http://127.0.0.1:${port()}/`)).error.code).toBe('credential_not_for_host');
    expect(seen).toEqual([]);
  });

  it('is read as the Skill that binds it, and sent in the header and scheme that the Skill names', async () => {
    records['cred_2'] = { type: 'api_key', fields: { token: 'swordfish' } };
    const hosts = [`127.0.0.1:${port()}`];
    bindings.push({ credential_id: 'cred_2', as: 'two', skill_id: 'skl_two', hosts, scheme: 'token' });
    await get(`http://127.0.0.1:${port()}/`, 'two');
    expect(seen).toEqual(['token swordfish']);
    const [asked] = services.requests.filter(({ path }) => path === '/internal/credentials/resolve');
    expect(asked?.body).toEqual({ credential_id: 'cred_2', consumer: { kind: 'skill', id: 'skl_two' } });
  });

  it.each([
    ['https://api.example.com/x', { token: 't', hosts: 'api.example.com' }, { authorization: 'Bearer t' }],
    ['https://a.example.com/', { api_key: 'k', hosts: '*.example.com', header: 'X-Api-Key' }, { 'x-api-key': 'k' }],
    ['https://h.test/', { username: 'u', password: 'p', hosts: 'h.test' }, { authorization: 'Basic dTpw' }],
    ['https://h.test/', { token: 't', hosts: 'other.test, h.test', scheme: 'token' }, { authorization: 'token t' }],
    ['https://h.test/', { token: 't', hosts: 'H.test:443' }, { authorization: 'Bearer t' }],
  ])('is sent to %s as its fields say', (url, fields, header) => {
    expect(credentialHeader(new URL(url), credentialOf(fields as Record<string, string>))).toEqual(header);
  });

  it.each([
    ['https://example.com.evil.test/', { token: 't', hosts: 'example.com' }],
    ['https://evilexample.com/', { token: 't', hosts: '*.example.com' }],
    ['https://example.com:8443/', { token: 't', hosts: 'example.com' }],
    ['http://example.com:8080/', { token: 't', hosts: 'example.com' }],
    ['http://a.example.com/', { token: 't', hosts: '*.example.com' }],
    ['https://h.test/', { token: 't' }],
    ['https://h.test/', { token: 't', hosts: 'h.test', header: 'a\r\nb' }],
    ['https://h.test/', { hosts: 'h.test' }],
  ])('is not sent to %s with %j', (url, fields) => {
    expect(credentialHeader(new URL(url), credentialOf(fields as Record<string, string>))).toHaveProperty('error.code');
  });
});
