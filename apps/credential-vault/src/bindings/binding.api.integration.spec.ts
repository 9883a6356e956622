import { home } from '#libs/testing';
import { randomBytes } from 'node:crypto';
import { KekRing } from '../sealing/kek-ring.js';
import { app, Bindings } from '../testing/bindings.js';
import { admin, asService, vaultWorld, type VaultWorld } from '../testing/vault-world.js';

const gateway = asService('adapter-gateway');
const ring = new KekRing('k1', new Map([['k1', randomBytes(32)]]));
let vault: VaultWorld;
let bindings: Bindings;

beforeAll(async () => {
  vault = await vaultWorld(ring);
  bindings = new Bindings(vault);
});
afterAll(() => vault.close());

describe('resolving by a binding', () => {
  it('gives the fields that it allows, under the names that it maps them to', async () => {
    const id = await bindings.credential();
    await bindings.bind(id, { ...app('app_1'), fields: ['user', 'password'], maps_to: { password: 'smtp_password' } });
    expect((await bindings.resolveFor(id, 'app_1')).body).toMatchObject({
      fields: { user: 'u', password: 'p' },
      credentials: { user: 'u', smtp_password: 'p' },
    });
    expect((await bindings.resolveFor(id, 'app_1')).body.fields).not.toHaveProperty('host');
    expect((await bindings.resolveFor(id, 'app_1', ['host'])).body).toMatchObject({
      status: 403,
      code: 'approval_needed',
    });
  });

  it('gives only the type to a caller that asks for no field, also for a grant without a token', async () => {
    const text = await bindings.credential();
    await bindings.bind(text, app('app_kind'));
    const { body } = await bindings.resolveFor(text, 'app_kind', []);
    expect(body).toMatchObject({ type: 'text', fields: {}, credentials: {} });
    const pending = { type: 'oauth2', grant: 'authorization_code', fields: { client_id: 'id', client_secret: 'cs' } };
    const grant = await bindings.credential(pending);
    await bindings.bind(grant, app('app_kind'));
    expect((await bindings.resolveFor(grant, 'app_kind', [])).body).toMatchObject({ type: 'oauth2', fields: {} });
    expect((await bindings.resolveFor(grant, 'app_other', [])).body).toMatchObject({ status: 403, code: 'not_bound' });
  });

  it('gives each consumer its own fields', async () => {
    const id = await bindings.credential();
    await bindings.bind(id, { ...app('app_a'), fields: ['user'] });
    await bindings.bind(id, { ...app('app_b'), maps_to: { host: 'server' } });
    const asked = ['app_b', 'app_a', 'app_c'].map((each) => ({
      credential_id: id,
      consumer: { kind: 'app', id: each },
    }));
    const { body } = await vault.internal('POST', 'credentials/resolve-batch', { credentials: asked }, gateway);
    expect(body.data).toMatchObject([
      { credentials: { user: 'u', password: 'p', server: 'h' } },
      { credentials: { user: 'u' } },
      { error: { code: 'not_bound' } },
    ]);
  });

  it('is refused to a consumer that is not bound, and to another project', async () => {
    const id = await bindings.credential();
    expect((await bindings.resolveFor(id, 'app_x')).body).toMatchObject({ status: 403, code: 'not_bound' });
    await bindings.bind(id, app('app_x'));
    const elsewhere = asService('adapter-gateway', [], { ...home, projectId: 'prj_b' });
    expect((await bindings.resolveFor(id, 'app_x', undefined, elsewhere)).status).toBe(404);
    expect((await vault.call('GET', `credentials/${id}/bindings`, undefined, elsewhere)).status).toBe(403);
  });
});

describe('client_secret and refresh_token', () => {
  it('leave by no binding unless approved', async () => {
    const id = await bindings.oauth();
    await bindings.bind(id, app('app_plain'));
    expect((await bindings.resolveFor(id, 'app_plain')).body.fields).toEqual({ client_id: 'id', access_token: 'at' });
    expect((await bindings.resolveFor(id, 'app_plain', ['refresh_token'])).status).toBe(403);
  });

  it('are refused by field to whoever binds them without approval, and only an administrator approves', async () => {
    const id = await bindings.oauth();
    const asked = { ...app('app_1'), maps_to: { refresh_token: 'refresh' } };
    const refused = await bindings.bind(id, asked);
    expect(refused.body).toMatchObject({ status: 422, errors: [{ field: 'maps_to.refresh_token' }] });
    const writer = { ...admin, scopes: ['credentials:write' as const] };
    expect((await bindings.bind(id, { ...asked, approve: ['refresh_token'] }, writer)).status).toBe(403);
    expect((await vault.call('GET', `credentials/${id}/bindings`)).body.data).toEqual([]);
    const bound = await bindings.bind(id, { ...asked, approve: ['refresh_token'] });
    expect(bound.body).toMatchObject({ approved: ['refresh_token'], awaiting_approval: [] });
    expect((await bindings.resolveFor(id, 'app_1')).body.credentials).toEqual({
      client_id: 'id',
      access_token: 'at',
      refresh: 'rt',
    });
  });

  it('stay inside when a changed manifest asks for them under another name, until that is approved too', async () => {
    const id = await bindings.oauth();
    await bindings.bind(id, { ...app('app_2'), maps_to: { client_secret: 'secret' }, approve: ['client_secret'] });
    const consumer = { kind: 'app', id: 'app_2' };
    const changed = { credential_id: id, consumer, maps_to: { client_secret: 'exfiltrated' } };
    const { body } = await vault.internal('PUT', 'bindings', changed, gateway);
    expect(body).toMatchObject({ approved: [], awaiting_approval: ['client_secret'] });
    expect((await bindings.resolveFor(id, 'app_2')).body.credentials).toEqual({ client_id: 'id', access_token: 'at' });
    const path = `credentials/${id}/bindings/${body.id}`;
    await vault.call('PATCH', path, { approve: ['client_secret'] }, admin);
    expect((await bindings.resolveFor(id, 'app_2')).body.credentials).toMatchObject({ exfiltrated: 'cs' });
  });
});

describe('a binding', () => {
  it('may name the tokens that an oauth2 credential has once it is connected', async () => {
    const id = await bindings.credential({ type: 'oauth2', grant: 'authorization_code', fields: { client_id: 'id' } });
    const answer = await bindings.bind(id, { ...app('app_1'), maps_to: { access_token: 'token' } });
    expect(answer.status).toBe(201);
    const wrong = await bindings.bind(id, { ...app('app_2'), maps_to: { id_token: 'token' } });
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
    const id = await bindings.credential();
    const answer = await bindings.bind(id, { ...app('app_1'), ...body });
    const fields = (answer.body.errors as { field: string }[]).map(({ field }) => field);
    expect({ status: answer.status, fields }).toEqual({ status: 422, fields: wrong });
    expect((await vault.call('GET', `credentials/${id}/bindings`)).body.data).toEqual([]);
  });

  it('exists once per consumer', async () => {
    const id = await bindings.credential();
    await bindings.bind(id, app('app_1'));
    expect((await bindings.bind(id, app('app_1'))).body).toMatchObject({ status: 409, code: 'already_bound' });
  });

  it('protects its credential from deletion, and is named, unless deletion is forced', async () => {
    const id = await bindings.credential();
    await bindings.bind(id, app('app_1'));
    await bindings.bind(id, { consumer_kind: 'skill', consumer_id: 'skill_1' });
    const refused = await vault.call('DELETE', `credentials/${id}`);
    expect(refused.body).toMatchObject({ status: 409, code: 'credential_in_use' });
    expect(refused.body.detail).toMatch(/app app_1, skill skill_1/);
    expect((await bindings.resolveFor(id, 'app_1')).status).toBe(200);
    expect((await vault.call('DELETE', `credentials/${id}?force=true`)).status).toBe(204);
    expect((await bindings.resolveFor(id, 'app_1')).status).toBe(404);
  });

  it('that is gone releases its credential', async () => {
    const id = await bindings.credential();
    const { body } = await bindings.bind(id, app('app_1'));
    expect((await vault.call('DELETE', `credentials/${id}/bindings/${body.id}`)).status).toBe(204);
    expect((await vault.call('DELETE', `credentials/${id}`)).status).toBe(204);
  });
});
