import { ServiceTokens } from '#libs/service-kit';
import { testServiceKey } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { admin, asService, owner, vaultWorld, type VaultWorld } from '../testing/vault-world.js';

const ring = new KekRing('k1', new Map([['k1', randomBytes(32)]]));
const gateway = asService('adapter-gateway');
let vault: VaultWorld;
let made = 0;

beforeAll(async () => {
  vault = await vaultWorld(ring);
});
afterAll(() => vault.close());

async function credential(
  body: object = { type: 'text', fields: { user: 'u', password: 'p', host: 'h' } },
): Promise<string> {
  const answer = await vault.call('POST', '/api/v1/credentials', { name: `credential ${(made += 1)}`, ...body });
  expect(answer.status).toBe(201);
  return answer.body.id as string;
}
const oauth = () =>
  credential({
    type: 'oauth2',
    grant: 'authorization_code',
    fields: { client_id: 'id', client_secret: 'cs', access_token: 'at', refresh_token: 'rt' },
  });
const bind = (id: string, body: object, as = admin) =>
  vault.call('POST', `/api/v1/credentials/${id}/bindings`, body, as);
const app = (consumer_id: string) => ({ consumer_kind: 'app', consumer_id });
const resolveFor = (credential_id: string, id: string, fields?: string[], as = gateway) =>
  vault.call('POST', '/internal/credentials/resolve', { credential_id, fields, consumer: { kind: 'app', id } }, as);

describe('resolving by a binding', () => {
  it('gives the fields it allows, by the names it maps them to', async () => {
    const id = await credential();
    await bind(id, { ...app('app_1'), fields: ['user', 'password'], maps_to: { password: 'smtp_password' } });
    expect((await resolveFor(id, 'app_1')).body).toMatchObject({
      fields: { user: 'u', password: 'p' },
      credentials: { user: 'u', smtp_password: 'p' },
    });
    expect((await resolveFor(id, 'app_1')).body.fields).not.toHaveProperty('host');
    expect((await resolveFor(id, 'app_1', ['host'])).body).toMatchObject({ status: 403, code: 'approval_needed' });
  });

  it('tells the type alone to who asks for no field, of a grant that has no token too', async () => {
    const text = await credential();
    await bind(text, app('app_kind'));
    const { body } = await resolveFor(text, 'app_kind', []);
    expect(body).toMatchObject({ type: 'text', fields: {}, credentials: {} });
    const pending = { type: 'oauth2', grant: 'authorization_code', fields: { client_id: 'id', client_secret: 'cs' } };
    const grant = await credential(pending);
    await bind(grant, app('app_kind'));
    expect((await resolveFor(grant, 'app_kind', [])).body).toMatchObject({ type: 'oauth2', fields: {} });
    expect((await resolveFor(grant, 'app_other', [])).body).toMatchObject({ status: 403, code: 'not_bound' });
  });

  it('gives each consumer its own', async () => {
    const id = await credential();
    await bind(id, { ...app('app_a'), fields: ['user'] });
    await bind(id, { ...app('app_b'), maps_to: { host: 'server' } });
    const asked = ['app_b', 'app_a', 'app_c'].map((each) => ({
      credential_id: id,
      consumer: { kind: 'app', id: each },
    }));
    const { body } = await vault.call('POST', '/internal/credentials/resolve-batch', { credentials: asked }, gateway);
    expect(body.data).toMatchObject([
      { credentials: { user: 'u', password: 'p', server: 'h' } },
      { credentials: { user: 'u' } },
      { error: { code: 'not_bound' } },
    ]);
  });

  it('is refused to who is not bound, and to another project', async () => {
    const id = await credential();
    expect((await resolveFor(id, 'app_x')).body).toMatchObject({ status: 403, code: 'not_bound' });
    await bind(id, app('app_x'));
    const elsewhere = asService('adapter-gateway', [], { ...owner, projectId: 'prj_b' });
    expect((await resolveFor(id, 'app_x', undefined, elsewhere)).status).toBe(404);
    expect((await vault.call('GET', `/api/v1/credentials/${id}/bindings`, undefined, elsewhere)).status).toBe(403);
  });
});

describe('the ingress, which checks signatures', () => {
  const ingress = asService('webhook-ingress');

  it('resolves of what Apps are bound to the fields that sign, by either name, and no token of a grant', async () => {
    const [text, grant] = [await credential(), await oauth()];
    const set = (credentials: object[]) =>
      vault.call('PUT', '/internal/bindings/app/app_signed', { credentials }, gateway);
    const given = async (id: string, as = ingress) =>
      (await resolveFor(id, 'app_signed', undefined, as)).body.fields as object;
    await bind(text, { ...app('app_signed'), maps_to: { password: 'signing_secret' } });
    expect(await given(text)).toEqual({});

    await set([
      { credential_id: text, signing: ['signing_secret', 'host'] },
      { credential_id: grant, signing: [] },
    ]);
    expect(await given(text)).toEqual({ password: 'p', host: 'h' });
    expect(await given(text, gateway)).toEqual({ user: 'u', password: 'p', host: 'h' });
    expect(await given(grant)).toEqual({});
    const asked = await resolveFor(text, 'app_signed', ['user'], ingress);
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

  it('is refused what a Skill is bound to, and to bind anything', async () => {
    const id = await credential();
    const consumer = { kind: 'skill', id: 'skill_9' };
    await vault.call('PUT', '/internal/bindings', { credential_id: id, consumer }, asService('engine'));
    const asked = { credential_id: id, consumer };
    for (const [method, url] of [
      ['POST', '/internal/credentials/resolve'],
      ['PUT', '/internal/bindings'],
    ] as const) {
      expect((await vault.call(method, url, asked, ingress)).body.code).toBe('not_in_policy');
    }
  });

  it('takes a token of a service once', async () => {
    const id = await credential();
    await bind(id, app('app_once'));
    const token = await new ServiceTokens(testServiceKey, 'webhook-ingress').asService(
      'credential-vault',
      owner.organizationId,
      owner.projectId,
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

describe('client_secret and refresh_token', () => {
  it('leave by no binding unless approved', async () => {
    const id = await oauth();
    await bind(id, app('app_plain'));
    expect((await resolveFor(id, 'app_plain')).body.fields).toEqual({ client_id: 'id', access_token: 'at' });
    expect((await resolveFor(id, 'app_plain', ['refresh_token'])).status).toBe(403);
  });

  it('are refused by field to who binds them without approval, and only an administrator approves', async () => {
    const id = await oauth();
    const asked = { ...app('app_1'), maps_to: { refresh_token: 'refresh' } };
    const refused = await bind(id, asked);
    expect(refused.body).toMatchObject({ status: 422, errors: [{ field: 'maps_to.refresh_token' }] });
    const writer = { ...admin, scopes: ['credentials:write' as const] };
    expect((await bind(id, { ...asked, approve: ['refresh_token'] }, writer)).status).toBe(403);
    expect((await vault.call('GET', `/api/v1/credentials/${id}/bindings`)).body.data).toEqual([]);
    const bound = await bind(id, { ...asked, approve: ['refresh_token'] });
    expect(bound.body).toMatchObject({ approved: ['refresh_token'], awaiting_approval: [] });
    expect((await resolveFor(id, 'app_1')).body.credentials).toEqual({
      client_id: 'id',
      access_token: 'at',
      refresh: 'rt',
    });
  });

  it('stay inside when a changed manifest wants them under another name, until that is approved too', async () => {
    const id = await oauth();
    await bind(id, { ...app('app_2'), maps_to: { client_secret: 'secret' }, approve: ['client_secret'] });
    const consumer = { kind: 'app', id: 'app_2' };
    const changed = { credential_id: id, consumer, maps_to: { client_secret: 'exfiltrated' } };
    const { body } = await vault.call('PUT', '/internal/bindings', changed, gateway);
    expect(body).toMatchObject({ approved: [], awaiting_approval: ['client_secret'] });
    expect((await resolveFor(id, 'app_2')).body.credentials).toEqual({ client_id: 'id', access_token: 'at' });
    const path = `/api/v1/credentials/${id}/bindings/${body.id}`;
    await vault.call('PATCH', path, { approve: ['client_secret'] }, admin);
    expect((await resolveFor(id, 'app_2')).body.credentials).toMatchObject({ exfiltrated: 'cs' });
  });
});

describe('a binding', () => {
  it('may name the tokens that an oauth2 credential has once it is connected', async () => {
    const id = await credential({ type: 'oauth2', grant: 'authorization_code', fields: { client_id: 'id' } });
    const answer = await bind(id, { ...app('app_1'), maps_to: { access_token: 'token' } });
    expect(answer.status).toBe(201);
    const wrong = await bind(id, { ...app('app_2'), maps_to: { id_token: 'token' } });
    expect(wrong.body.errors).toMatchObject([{ field: 'maps_to.id_token' }]);
  });

  it.each<[string, object, string[]]>([
    ['a field there is not', { fields: ['nope'] }, ['fields.0']],
    ['a maps_to of a field there is not', { maps_to: { nope: 'x' } }, ['maps_to.nope']],
    ['a maps_to of a field it does not read', { fields: ['user'], maps_to: { host: 'x' } }, ['maps_to.host']],
    ['a name that is no name', { maps_to: { user: 'a b' } }, ['maps_to.user']],
    ['a name that is not text', { maps_to: { user: 5 } }, ['maps_to.user']],
    ['the name of another field', { maps_to: { user: 'host' } }, ['maps_to.user']],
    ['an approval that nothing needs', { approve: ['user'] }, ['approve.0']],
    ['an unknown kind', { consumer_kind: 'person' }, ['consumer_kind']],
  ])('is refused with %s, by field', async (_what, body, wrong) => {
    const id = await credential();
    const answer = await bind(id, { ...app('app_1'), ...body });
    const fields = (answer.body.errors as { field: string }[]).map(({ field }) => field);
    expect({ status: answer.status, fields }).toEqual({ status: 422, fields: wrong });
    expect((await vault.call('GET', `/api/v1/credentials/${id}/bindings`)).body.data).toEqual([]);
  });

  it('is one for each consumer', async () => {
    const id = await credential();
    await bind(id, app('app_1'));
    expect((await bind(id, app('app_1'))).body).toMatchObject({ status: 409, code: 'already_bound' });
  });

  it('keeps its credential from deletion, by name, unless forced', async () => {
    const id = await credential();
    await bind(id, app('app_1'));
    await bind(id, { consumer_kind: 'skill', consumer_id: 'skill_1' });
    const refused = await vault.call('DELETE', `/api/v1/credentials/${id}`);
    expect(refused.body).toMatchObject({ status: 409, code: 'credential_in_use' });
    expect(refused.body.detail).toMatch(/app app_1, skill skill_1/);
    expect((await resolveFor(id, 'app_1')).status).toBe(200);
    expect((await vault.call('DELETE', `/api/v1/credentials/${id}?force=true`)).status).toBe(204);
    expect((await resolveFor(id, 'app_1')).status).toBe(404);
  });

  it('that is gone lets its credential go', async () => {
    const id = await credential();
    const { body } = await bind(id, app('app_1'));
    expect((await vault.call('DELETE', `/api/v1/credentials/${id}/bindings/${body.id}`)).status).toBe(204);
    expect((await vault.call('DELETE', `/api/v1/credentials/${id}`)).status).toBe(204);
  });
});

describe('services', () => {
  it('of an App is to all its credentials and to no others', async () => {
    const [first, second, third] = [await credential(), await oauth(), await credential()];
    const set = (ids: string[], as = gateway) => {
      const credentials = ids.map((credential_id) => ({ credential_id }));
      return vault.call('PUT', '/internal/bindings/app/app_many', { credentials }, as);
    };
    const { status, body } = await set([first!, second!, first!, 'cred_none']);
    expect({ status, unknown: body.unknown }).toEqual({ status: 200, unknown: ['cred_none'] });
    expect((await resolveFor(first!, 'app_many')).status).toBe(200);
    expect((await resolveFor(second!, 'app_many')).body.fields).toEqual({ client_id: 'id', access_token: 'at' });
    for (const id of [first, second]) {
      const refused = await vault.call('DELETE', `/api/v1/credentials/${id}`);
      expect(refused).toMatchObject({ status: 409, body: { code: 'credential_in_use' } });
    }
    await bind(third!, app('app_many'));
    await set([second!]);
    expect((await vault.call('DELETE', `/api/v1/credentials/${first}`)).status).toBe(204);
    expect((await resolveFor(third!, 'app_many')).status).toBe(200);
    expect((await set([first!], asService('engine'))).body.code).toBe('not_in_policy');
    await set([]);
    expect((await vault.call('DELETE', `/api/v1/credentials/${second}`)).status).toBe(204);
  });

  it('of a Skill is let go of for one credential alone', async () => {
    const [gone, kept] = [await credential(), await credential()];
    const consumer = { kind: 'skill', id: 'skill_less' };
    const registry = asService('mcp-registry');
    for (const credential_id of [gone, kept])
      await vault.call('PUT', '/internal/bindings', { credential_id, consumer }, registry);
    const path = `/internal/bindings/skill/skill_less?credential_id=${gone}`;
    expect((await vault.call('DELETE', path, undefined, registry)).status).toBe(204);
    expect((await vault.call('DELETE', `/api/v1/credentials/${gone}`)).status).toBe(204);
    expect((await vault.call('DELETE', `/api/v1/credentials/${kept}`)).status).toBe(409);
  });

  it('may do what the policy says, each', async () => {
    const id = await credential();
    const consumer = { kind: 'skill', id: 'skill_1' };
    const asked = { credential_id: id, consumer };
    const may = async (name: string, method: 'PUT' | 'POST', url: string, body: object) =>
      (await vault.call(method, url, body, asService(name))).body.code ?? 'yes';
    expect(await may('adapter-gateway', 'PUT', '/internal/bindings', asked)).toBe('not_in_policy');
    expect(await may('engine', 'PUT', '/internal/bindings', asked)).toBe('yes');
    expect(await may('engine', 'POST', '/internal/credentials/resolve', asked)).toBe('yes');
    // Without a consumer nobody resolves anything, whoever it is.
    for (const name of ['engine', 'router', 'adapter-gateway', 'webhook-ingress', 'mcp-registry']) {
      expect(await may(name, 'POST', '/internal/credentials/resolve', { credential_id: id })).toBe('not_in_policy');
    }
    const batch = { credentials: [asked, { credential_id: id }] };
    expect(await may('engine', 'POST', '/internal/credentials/resolve-batch', batch)).toBe('not_in_policy');
    expect(await may('constructor', 'POST', '/internal/credentials/resolve', asked)).toBe('not_in_policy');
  });
});

describe('describing credentials', () => {
  it('names what they have and opens nothing', async () => {
    const pending = await credential({ type: 'oauth2', grant: 'authorization_code', fields: { client_id: 'id' } });
    const [text, token] = [await credential(), await oauth()];
    const describe = (as = gateway) =>
      vault.call('POST', '/internal/credentials/describe', { credential_ids: [text, token, pending, 'cred_none'] }, as);
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
