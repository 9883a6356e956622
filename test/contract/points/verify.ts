import { until } from '#libs/testing';
import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import type { ContractAdapter, Script } from '../contract-process.js';
import type { ContractApp, ContractWorld } from '../contract-world.js';

/** Verify reports whatever `/verify` answers. @param shared the running system */
export function holdVerify(shared: () => ContractWorld): void {
  describe('Verify of an App whose adapter was written from the contract alone', () => {
    let world: ContractWorld;
    let adapter: ContractAdapter;
    let app: ContractApp;

    beforeAll(() => {
      world = shared();
    });
    beforeEach(async () => {
      adapter = await world.adapters.mount('verify', { credentials: [] });
      app = await world.install(adapter);
    });

    const verify = () => world.ask<Schema<'VerifiedAppView'>>('POST', `apps/${app.id}/verify`);
    const html = { 'content-type': 'text/html' };

    it('says whose the credentials are', async () => {
      expect(await verify()).toMatchObject({ status: 200, body: { ok: true, user: 'Contract Bot' } });
      const [call] = await adapter.calls('verify');
      expect(Object.keys(call?.body ?? {})).toEqual(['credentials']);
      expect(call?.headers).toMatchObject({
        'content-type': 'application/json',
        'x-organization-id': expect.stringMatching(/^org_/),
        'x-project-id': expect.stringMatching(/^prj_/),
      });
    });

    it('says what the provider refuses, in the adapter’s own words', async () => {
      await adapter.answer('verify', { json: { ok: false, error: 'the token has expired' } });
      const { status, body } = await verify();
      expect([status, body.ok, body.code]).toEqual([200, false, 'auth_failed']);
      expect(body.error).toContain('the token has expired');
    });

    it('says it too when the adapter answers it with a status of its own', async () => {
      await adapter.answer('verify', { status: 401, json: { ok: false, error: 'the token has expired' } });
      const { status, body } = await verify();
      await adapter.unscript('verify');
      expect([status, body.ok, body.code]).toEqual([200, false, 'auth_failed']);
      expect(body.error).toContain('the token has expired');
    });

    it.each<[string, Script, string]>([
      ['answers 401 as JSON', { status: 401, json: { error: 'unauthorized' } }, 'provider_unavailable'],
      ['answers 500', { status: 500, json: {} }, 'provider_unavailable'],
      ['drops the socket', { drop: true }, 'provider_unavailable'],
      ['takes longer than it may', { delay_ms: 15_000, json: { ok: true, user: 'late' } }, 'timeout'],
      ['answers HTML', { text: '<p>hello</p>', headers: html }, 'contract_violation'],
      ['answers ok as a text', { json: { ok: 'true', user: 'Bot' } }, 'contract_violation'],
      ['names no user', { json: { ok: true } }, 'contract_violation'],
      ['names no error', { json: { ok: false } }, 'contract_violation'],
    ])('%s: the cause is reported, and nothing is disabled', async (_what, script, code) => {
      await adapter.answer('verify', script);
      const { status, body } = await verify();
      expect([status, body.ok, body.code]).toEqual([200, false, code]);
      expect(body.error).toMatch(/the credentials could not be checked/);
      expect((await world.ask<Schema<'AppView'>>('GET', `apps/${app.id}`)).body.state).toBe('active');
      const page = async () => {
        const { body: adapters } = await world.ask<Schema<'AdapterPage'>>('GET', 'adapters');
        return adapters.data.find(({ slug }) => slug === adapter.slug);
      };
      if (code !== 'contract_violation') expect((await page())?.violation).toBeNull();
      else await until('the violation is on the page', async () => /\/verify/.test((await page())?.violation ?? ''));
      await adapter.unscript('verify');
      await until('it is verified once the adapter is well', async () => (await verify()).body.ok === true);
    });

    it.each<[string, Script, string, string]>([
      ['refused', { json: { ok: false, error: 'auth_failed' } }, 'auth_failed', 'invalid'],
      ['unknown for HTML', { text: '<p>', headers: html }, 'contract_violation', 'active'],
      ['unknown for 500', { status: 500, json: {} }, 'provider_unavailable', 'active'],
      ['unknown for a late answer', { delay_ms: 15_000, json: {} }, 'timeout', 'active'],
    ])('is the same for a credential before there is an App: %s', async (_what, script, code, stays) => {
      const fields = { token: 'a-token' };
      const made = { name: `for ${adapter.slug}`, type: 'api_key', adapter_slug: adapter.slug, fields };
      const saved = (await world.ask<Schema<'CredentialView'>>('POST', 'credentials', made)).body;
      expect(saved).toMatchObject({ status: 'active', reason: null });
      await adapter.answer('verify', script);
      const { status, body } = await world.ask<Schema<'VerificationView'>>('POST', `credentials/${saved.id}/verify`);
      expect([status, body.ok, body.code, body.status]).toEqual([200, false, code, stays]);
      expect(body.reason).toMatch(stays === 'active' ? /^not verified: / : /does not accept/);
      expect((await world.ask<Schema<'CredentialView'>>('GET', `credentials/${saved.id}`)).body).toMatchObject({
        status: stays,
        reason: body.reason,
      });
    });

    it('of a credential that nobody has connected says so, and asks nobody', async () => {
      const oauth = await world.adapters.mount('consent', {
        credentials: [{ key: 'CONSENT', type: 'oauth2', label: 'Account', maps_to: 'access_token' }],
        oauth_config: { authorization_url: 'http://127.0.0.1:9/authorize', token_url: 'http://127.0.0.1:9/token' },
      });
      await world.register(oauth);
      const { body: made } = await world.ask<Schema<'CredentialView'>>('POST', 'credentials', {
        name: 'consent',
        type: 'oauth2',
        grant: 'authorization_code',
        adapter_slug: oauth.slug,
        fields: { client_id: 'gatehouse', client_secret: 'a-client-secret' },
      });
      const { status, body } = await world.ask<Schema<'VerificationView'>>('POST', `credentials/${made.id}/verify`);
      expect([status, body.ok, body.code]).toEqual([200, false, 'not_connected']);
      expect(await oauth.calls('verify')).toEqual([]);
    });
  });
}
