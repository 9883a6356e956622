import { ServiceTokens } from '#libs/service-kit';
import { home, testServiceKey } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { app, Bindings } from '../testing/bindings.js';
import { asService, vaultWorld, type VaultWorld } from '../testing/vault-world.js';

const ring = new KekRing('k1', new Map([['k1', randomBytes(32)]]));
const gateway = asService('adapter-gateway');
let vault: VaultWorld;
let bindings: Bindings;

beforeAll(async () => {
  vault = await vaultWorld(ring);
  bindings = new Bindings(vault);
});
afterAll(() => vault.close());

describe('the ingress, which checks signatures', () => {
  const ingress = asService('webhook-ingress');

  it('resolves only the signing fields that Apps are bound to, by either name, and no token of a grant', async () => {
    const [text, grant] = [await bindings.credential(), await bindings.oauth()];
    const set = (credentials: object[]) => vault.internal('PUT', 'bindings/app/app_signed', { credentials }, gateway);
    const given = async (id: string, as = ingress) =>
      (await bindings.resolveFor(id, 'app_signed', undefined, as)).body.fields as object;
    await bindings.bind(text, { ...app('app_signed'), maps_to: { password: 'signing_secret' } });
    expect(await given(text)).toEqual({});

    await set([
      { credential_id: text, signing: ['signing_secret', 'host'] },
      { credential_id: grant, signing: [] },
    ]);
    expect(await given(text)).toEqual({ password: 'p', host: 'h' });
    expect(await given(text, gateway)).toEqual({ user: 'u', password: 'p', host: 'h' });
    expect(await given(grant)).toEqual({});
    const asked = await bindings.resolveFor(text, 'app_signed', ['user'], ingress);
    expect(asked.body).toMatchObject({ status: 403, code: 'approval_needed' });

    await set([
      { credential_id: text, signing: null },
      { credential_id: grant, signing: ['client_id', 'access_token', 'refresh_token', 'client_secret'] },
    ]);
    expect(await given(text)).toEqual({ user: 'u', password: 'p', host: 'h' });
    expect(await given(grant)).toEqual({ client_id: 'id' });

    await set([{ credential_id: text }, { credential_id: grant, signing: [] }]);
    expect(await given(text)).toEqual({ user: 'u', password: 'p', host: 'h' });
    expect(await given(grant)).toEqual({});
  });

  it('may not resolve what a Skill is bound to, nor bind anything', async () => {
    const id = await bindings.credential();
    const consumer = { kind: 'skill', id: 'skill_9' };
    await vault.internal('PUT', 'bindings', { credential_id: id, consumer }, asService('engine'));
    const asked = { credential_id: id, consumer };
    for (const [method, url] of [
      ['POST', 'credentials/resolve'],
      ['PUT', 'bindings'],
    ] as const) {
      expect((await vault.internal(method, url, asked, ingress)).body.code).toBe('not_in_policy');
    }
  });

  it('accepts a service token once', async () => {
    const id = await bindings.credential();
    await bindings.bind(id, app('app_once'));
    const token = await new ServiceTokens(testServiceKey, 'webhook-ingress').asService(
      'credential-vault',
      home.organizationId,
      home.projectId,
    );
    const ask = () =>
      vault.app.inject({
        method: 'POST',
        url: '/internal/credentials/resolve',
        headers: { authorization: `Bearer ${token}` },
        payload: { credential_id: id, consumer: { kind: 'app', id: 'app_once' } },
      });
    expect([(await ask()).statusCode, (await ask()).statusCode]).toEqual([200, 401]);
  });
});

describe('the bindings that services set', () => {
  it('of an App cover all its credentials and no others', async () => {
    const [first, second, third] = [await bindings.credential(), await bindings.oauth(), await bindings.credential()];
    const set = (ids: string[], as = gateway) => {
      const credentials = ids.map((credential_id) => ({ credential_id }));
      return vault.internal('PUT', 'bindings/app/app_many', { credentials }, as);
    };
    const { status, body } = await set([first!, second!, first!, 'cred_none']);
    expect({ status, unknown: body.unknown }).toEqual({ status: 200, unknown: ['cred_none'] });
    expect((await bindings.resolveFor(first!, 'app_many')).status).toBe(200);
    expect((await bindings.resolveFor(second!, 'app_many')).body.fields).toEqual({
      client_id: 'id',
      access_token: 'at',
    });
    for (const id of [first, second]) {
      const refused = await vault.call('DELETE', `credentials/${id}`);
      expect(refused).toMatchObject({ status: 409, body: { code: 'credential_in_use' } });
    }
    await bindings.bind(third!, app('app_many'));
    await set([second!]);
    expect((await vault.call('DELETE', `credentials/${first}`)).status).toBe(204);
    expect((await bindings.resolveFor(third!, 'app_many')).status).toBe(200);
    expect((await set([first!], asService('engine'))).body.code).toBe('not_in_policy');
    await set([]);
    expect((await vault.call('DELETE', `credentials/${second}`)).status).toBe(204);
  });

  it('of a Skill can be released for one credential only', async () => {
    const [gone, kept] = [await bindings.credential(), await bindings.credential()];
    const consumer = { kind: 'skill', id: 'skill_less' };
    const registry = asService('mcp-registry');
    for (const credential_id of [gone, kept])
      await vault.internal('PUT', 'bindings', { credential_id, consumer }, registry);
    const path = `bindings/skill/skill_less?credential_id=${gone}`;
    expect((await vault.internal('DELETE', path, undefined, registry)).status).toBe(204);
    expect((await vault.call('DELETE', `credentials/${gone}`)).status).toBe(204);
    expect((await vault.call('DELETE', `credentials/${kept}`)).status).toBe(409);
  });

  it('are limited for each service to what the policy says', async () => {
    const id = await bindings.credential();
    const consumer = { kind: 'skill', id: 'skill_1' };
    const asked = { credential_id: id, consumer };
    const may = async (name: string, method: 'PUT' | 'POST', url: string, body: object) =>
      (await vault.internal(method, url, body, asService(name))).body.code ?? 'yes';
    expect(await may('adapter-gateway', 'PUT', 'bindings', asked)).toBe('not_in_policy');
    expect(await may('engine', 'PUT', 'bindings', asked)).toBe('yes');
    expect(await may('engine', 'POST', 'credentials/resolve', asked)).toBe('yes');
    // Without a consumer, no service resolves anything.
    for (const name of ['engine', 'router', 'adapter-gateway', 'webhook-ingress', 'mcp-registry']) {
      expect(await may(name, 'POST', 'credentials/resolve', { credential_id: id })).toBe('not_in_policy');
    }
    const batch = { credentials: [asked, { credential_id: id }] };
    expect(await may('engine', 'POST', 'credentials/resolve-batch', batch)).toBe('not_in_policy');
    expect(await may('constructor', 'POST', 'credentials/resolve', asked)).toBe('not_in_policy');
  });
});

describe('describing credentials', () => {
  it('names their fields and opens nothing', async () => {
    const pending = await bindings.credential({
      type: 'oauth2',
      grant: 'authorization_code',
      fields: { client_id: 'id' },
    });
    const [text, token] = [await bindings.credential(), await bindings.oauth()];
    const describe = (as = gateway) =>
      vault.internal('POST', 'credentials/describe', { credential_ids: [text, token, pending, 'cred_none'] }, as);
    const { body } = await describe();
    expect(body.data).toHaveLength(3);
    expect(body.data).toEqual(
      expect.arrayContaining([
        { credential_id: text, type: 'text', status: 'active', fields: ['host', 'password', 'user'] },
        expect.objectContaining({ credential_id: token, fields: expect.arrayContaining(['access_token']) }),
        { credential_id: pending, type: 'oauth2', status: 'pending', fields: ['client_id'] },
      ]),
    );
    expect(JSON.stringify(body)).not.toContain('"u"');
    expect((await describe(asService('router'))).body.code).toBe('not_in_policy');
  });
});
