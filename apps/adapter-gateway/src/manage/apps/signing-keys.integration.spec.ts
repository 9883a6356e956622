import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';

const strong = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const standard = { scheme: 'standard-webhooks' };

describe('the secret that an App checks requests with', () => {
  let world: GatewayWorld;

  beforeAll(async () => {
    world = await startGateway();
  });
  afterAll(() => world.close());
  beforeEach(() => {
    world.vault.credentials
      .set('plain', { signing_secret: 'a plain secret!' })
      .set('hidden', { signing_secret: '***' })
      .set('strong', { signing_secret: strong, signing_secret_next: strong })
      .set('half', { signing_secret: strong, signing_secret_next: 'whsec_' });
  });

  const install = (credential_id: string | undefined, signature: object | undefined = standard) =>
    world.call('POST', 'apps', { name: 'hook', kind: 'builtin', credential_id, signature });
  const weak = (words: string) => ({
    status: 422,
    body: { code: 'weak_secret', errors: [{ field: 'credentials', message: expect.stringContaining(words) }] },
  });

  it.each([
    ['hidden', 'is not base64'],
    ['plain', 'is not base64'],
    ['half', 'decodes to no bytes'],
  ])('is refused when the App is installed, if it cannot protect it: %s', async (id, words) => {
    expect(await install(id)).toMatchObject(weak(words));
  });

  it('is refused when it is linked, and when the signature settings change', async () => {
    const { body } = await install('strong');
    expect(await world.call('PATCH', `apps/${body.id}`, { credential_id: 'hidden' })).toMatchObject(weak('not base64'));
    const byHmac = await install('plain', { scheme: 'hmac' });
    expect(byHmac.status).toBe(201);
    const path = `apps/${byHmac.body.id}`;
    expect(await world.call('PATCH', path, { signature: standard })).toMatchObject(weak('not base64'));
    expect((await world.call('PATCH', path, { credential_id: 'strong', signature: standard })).status).toBe(200);
  });

  it('does not keep a person from other changes, or from turning the check off', async () => {
    const { body } = await install('strong');
    world.vault.credentials.set('strong', { signing_secret: '***' });
    expect((await world.call('PATCH', `apps/${body.id}`, { name: 'renamed' })).status).toBe(200);
    expect((await world.call('PATCH', `apps/${body.id}`, { signature_off: true })).status).toBe(200);
  });

  it('of an adapter is checked as its manifest declares', async () => {
    const webhook = { verification: { ...standard, secret_fields: ['hook'] } };
    const credentials = [{ key: 'HOOK', type: 'text', label: 'Hook', maps_to: 'hook' }];
    const adapter: FakeAdapter = await fakeAdapter('weak-hook', { credentials, webhook });
    try {
      await world.call('POST', 'adapters', { url: adapter.url });
      world.vault.credentials.set('only', { whatever: 'short' }).set('good', { whatever: strong });
      const by = (id: string) => world.call('POST', 'listings/weak-hook/install', { credentials: { HOOK: id } });
      expect(await by('only')).toMatchObject(weak('is not base64'));
      expect((await by('good')).status).toBe(201);
    } finally {
      await adapter.close();
    }
  });

  it('that was stored before is in the attention list', async () => {
    const { body } = await install('strong');
    world.vault.credentials.set('strong', { signing_secret: 'whsec_' });
    const { body: listed } = await world.internal('GET', 'attention');
    expect(listed.data).toContainEqual(
      expect.objectContaining({ code: 'weak_secret', severity: 'error', resource: { kind: 'app', id: body.id } }),
    );
  });
});
