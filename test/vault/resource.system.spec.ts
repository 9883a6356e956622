import type { Schema } from '../../apps/console/src/api/named-schema.js';
import { type OauthWorld, startWorld } from './oauth-world.js';

const resource = 'https://api.example/v1';
let world: OauthWorld;

beforeAll(async () => {
  world = await startWorld({ oauthConfig: { resource } });
});

afterAll(() => world?.close());

/** The resource of each token request, and the audience of the current token. */
async function seen(id: string) {
  const { body } = await world.vaults.resolve(id);
  const claims = JSON.parse(Buffer.from(String(body.fields.access_token).split('.')[1] ?? '', 'base64url').toString());
  const { requests } = await world.provider.recorded();
  return { audience: claims.aud, asked: requests.map(({ grant, resource: one }) => [grant, one]) };
}

describe('a provider whose tokens are for one resource (RFC 8707)', () => {
  it('is sent the resource when an account is connected, and at every refresh', async () => {
    const id = await world.credential('of a person');
    const started = await world.vaults.call<Schema<'ConnectStarted'>>('POST', `/api/v1/credentials/${id}/connect`, {});
    expect(new URL(started.body.authorization_url).searchParams.getAll('resource')).toEqual([resource]);
    await world.provider.configure({ reset: true });
    await world.connect(id);
    expect(await seen(id)).toEqual({ audience: resource, asked: [['authorization_code', resource]] });
    await world.provider.configure({ reset: true });
    await world.expire(id);
    expect(await seen(id)).toEqual({ audience: resource, asked: [['refresh_token', resource]] });
  });

  it('is sent the resource with client credentials', async () => {
    await world.provider.configure({ reset: true });
    const fields = { client_id: 'gatehouse', client_secret: 'a-client-secret' };
    const made = { name: 'of the client', type: 'oauth2', grant: 'client_credentials', fields };
    const id = (await world.vaults.call<Schema<'CredentialView'>>('POST', '/api/v1/credentials', made)).body
      .id as string;
    const config = { issuer: world.provider.url, resource };
    expect((await world.vaults.call('PUT', `/api/v1/credentials/${id}/oauth`, { config })).status).toBe(200);
    expect(await seen(id)).toEqual({ audience: resource, asked: [['client_credentials', resource]] });
  });

  it('cannot be configured with a resource that has a fragment', async () => {
    const id = await world.credential('wrong');
    const config = { issuer: world.provider.url, resource: `${resource}#part` };
    const answer = await world.vaults.call<Schema<'Problem'>>('PUT', `/api/v1/credentials/${id}/oauth`, { config });
    expect(answer.body).toMatchObject({ status: 422, errors: [{ field: 'oauth_config.resource' }] });
  });
});
