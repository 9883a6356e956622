import { ServiceClient, ServiceTokens } from '#libs/service-kit';
import { testServiceKey } from '#libs/testing';
import { endpoint, type FakeGateway, fakeGateway } from '../testing/fake-gateway.js';
import { Secrets } from './secrets.js';

describe('the secrets of an endpoint', () => {
  let vault: FakeGateway;
  let client: ServiceClient;

  beforeEach(async () => {
    vault = await fakeGateway();
    client = new ServiceClient('credential-vault', vault.url, new ServiceTokens(testServiceKey, 'webhook-ingress'));
  });
  afterEach(async () => {
    await client.close();
    await vault.close();
  });

  const credentials = [
    { key: 'HOOK', type: 'text' as const, maps_to: 'signing_secret', credential_id: 'cred_hook' },
    { key: 'CHECK', type: 'api_key' as const, maps_to: 'verify_token', credential_id: 'cred_check' },
  ];

  it('come from all its records, by the bindings of its App, under their declared names', async () => {
    vault.records.set('cred_hook', { secret: ['new', 'old'] }).set('cred_check', { token: 't' });
    const secrets = new Secrets(client);
    const one = endpoint('one', { credentials });
    expect(secrets.known(one)).toBeNull();
    expect(await secrets.fields(one)).toMatchObject({ signing_secret: ['new', 'old'], verify_token: 't' });
    const consumer = { kind: 'app', id: 'app_one' };
    expect(vault.resolved).toEqual(
      expect.arrayContaining([
        { credential_id: 'cred_hook', consumer },
        { credential_id: 'cred_check', consumer },
      ]),
    );
    expect(secrets.known(one)).toMatchObject({ verify_token: 't' });
    expect(secrets.known(endpoint('none', { credentials: [] }))).toEqual({});
  });

  it('are those of the records that are linked now, and remain available while the vault is down', async () => {
    vault.records.set('cred_hook', { signing_secret: 'a' }).set('cred_check', { token: 't' });
    const secrets = new Secrets(client);
    await secrets.fields(endpoint('one', { credentials }));
    vault.vaultDown = true;
    expect(await secrets.fields(endpoint('one', { credentials, version: 2 }))).toMatchObject({ signing_secret: 'a' });
    const relinked = [{ ...credentials[0]!, credential_id: 'cred_next' }];
    await expect(secrets.fields(endpoint('one', { credentials: relinked, version: 3 }))).rejects.toThrow();
    vault.vaultDown = false;
    vault.records.set('cred_next', { signing_secret: 'b' });
    const now = await secrets.fields(endpoint('one', { credentials: relinked, version: 3 }));
    expect(now).toEqual({ signing_secret: 'b' });
  });
});
