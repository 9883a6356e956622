import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import { until } from '#libs/testing';
import type { ContractApp, ContractWorld } from '../contract-world.js';

const secret = 'a secret of the platform';

/** One record for each declaration of a manifest. @param shared the running system */
export function holdCredentials(shared: () => ContractWorld): void {
  describe('an App whose manifest declares several credentials', () => {
    let world: ContractWorld;
    let made = 0;

    beforeAll(() => {
      world = shared();
    });

    const credential = async (type: string, fields: object, more: object = {}): Promise<string> => {
      const body = { name: `credential ${(made += 1)}`, type, fields, ...more };
      return (await world.api<{ id: string }>('POST', '/api/v1/credentials', body)).id;
    };
    const token = () => credential('api_key', { token: 'a-token' });
    const signing = () => credential('text', { signing_secret: secret });
    const verify = (app: ContractApp) => world.ask<Schema<'VerifiedAppView'>>('POST', `apps/${app.id}/verify`);

    it('links a record for each, and hands over all their fields by maps_to, from the first call on', async () => {
      const adapter = await world.adapters.mount('several');
      const credentials = { CONTRACT_TOKEN: await token(), CONTRACT_SECRETS: await signing() };
      const app = await world.install(adapter, { credentials });
      expect(app).toMatchObject({
        missing: [],
        credentials: Object.entries(credentials).map(([key, credential_id]) => ({ key, credential_id })),
      });
      expect(await world.outcomeOf(app, { text: 'hello', id: 'first' }, secret)).toMatchObject({ outcome: 'routed' });
      expect((await verify(app)).body).toMatchObject({ ok: true, user: 'Contract Bot' });
      for (const { body } of await adapter.calls()) {
        expect(body['credentials']).toMatchObject({ token: 'a-token', signing_secret: secret });
      }
      expect((await adapter.calls()).map(({ route }) => route)).toContain('verify-webhook');
    });

    it('refuses what is not signed with the declared secret', async () => {
      const adapter = await world.adapters.mount('signed');
      const credentials = { CONTRACT_TOKEN: await token(), CONTRACT_SECRETS: await signing() };
      const app = await world.install(adapter, { credentials });
      expect(await world.outcomeOf(app, { text: 'hello' }, 'another secret')).toMatchObject({ outcome: 'refused' });
      expect(await world.outcomeOf(app, { text: 'hello' })).toMatchObject({ outcome: 'refused' });
      expect(await adapter.calls('parse-inbound')).toEqual([]);
    });

    it('says at installation and at Verify which one is missing, and takes it later', async () => {
      const adapter = await world.adapters.mount('partly');
      const app = await world.install(adapter, { credentials: { CONTRACT_TOKEN: await token() } });
      expect(app.missing).toEqual(['CONTRACT_SECRETS']);
      const refused = (await verify(app)).body;
      expect(refused).toMatchObject({ ok: false, code: 'missing_credentials', missing: ['CONTRACT_SECRETS'] });
      expect(refused.error).toContain('CONTRACT_SECRETS');
      const changed = await world.ask<Schema<'AppView'>>('PATCH', `apps/${app.id}`, {
        credentials: { CONTRACT_SECRETS: await signing() },
      });
      expect(changed.body.missing).toEqual([]);
      await until('it is verified', async () => (await verify(app)).body.ok === true);
    });

    it('refuses a record that fills nothing, or of another type, by the name of the declaration', async () => {
      const adapter = await world.adapters.mount('unfit');
      await world.register(adapter);
      const install = (credentials: object) =>
        world.ask<Schema<'Problem'>>('POST', `listings/${adapter.slug}/install`, { credentials });
      const wrongType = await install({ CONTRACT_TOKEN: await signing() });
      expect(wrongType.status).toBe(422);
      expect(wrongType.body.errors?.[0]?.field).toContain('CONTRACT_TOKEN');
      expect((await install({ ANOTHER: await token() })).status).toBe(422);
      expect((await install({ CONTRACT_TOKEN: 'cred_00000000000000000000000000000000' })).status).toBe(422);
    });

    it('can be an OAuth App that has a webhook secret besides', async () => {
      const adapter = await world.adapters.mount('oauth', {
        credentials: [
          { key: 'ACCOUNT', type: 'oauth2', label: 'Account', maps_to: 'access_token' },
          { key: 'WEBHOOK', type: 'text', label: 'Webhook secret', maps_to: 'signing_secret' },
        ],
      });
      const tokens = { access_token: 'an-access-token', refresh_token: 'a-refresh-token' };
      const fields = { client_id: 'id', client_secret: 'cs', ...tokens };
      const account = await credential('oauth2', fields, { grant: 'authorization_code' });
      const app = await world.install(adapter, { credentials: { ACCOUNT: account, WEBHOOK: await signing() } });
      expect(await world.outcomeOf(app, { text: 'hello' }, secret)).toMatchObject({ outcome: 'routed' });
      const [call] = await adapter.calls('verify-webhook');
      expect(call?.body['credentials']).toMatchObject({ access_token: 'an-access-token', signing_secret: secret });
    });
  });
}
