import { until } from '#libs/testing';
import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import type { ContractAdapter } from '../contract-process.js';
import type { ContractWorld } from '../contract-world.js';

/** Manifests, health and the Skill of an adapter. @param shared the running system */
export function holdRegistration(shared: () => ContractWorld): void {
  describe('an adapter that was written from the contract alone', () => {
    let world: ContractWorld;
    let adapter: ContractAdapter;

    beforeAll(() => {
      world = shared();
    });
    beforeEach(async () => {
      adapter = await world.adapters.mount('registered');
    });

    const page = async (id: string): Promise<Schema<'AdapterView'>> =>
      (await world.ask<Schema<'AdapterView'>>('GET', `adapters/${id}`)).body;

    it('is registered by its URL, and its listing shows the manifest', async () => {
      const { status, body } = await world.ask<Schema<'AdapterView'>>('POST', 'adapters', { url: adapter.url });
      expect([status, body.slug, body.state, body.version]).toEqual([201, adapter.slug, 'ready', 'unknown']);
      expect(body).toMatchObject({ manifest_version: 1, violation: null, skill: null });
      const { body: listing } = await world.ask<Schema<'ListingView'>>('GET', `listings/${adapter.slug}`);
      expect(listing).toMatchObject({
        name: 'Contract',
        icon: 'plug',
        category: 'communication',
        capabilities: ['send', 'receive'],
        author: { name: 'Contract', url: 'https://contract.example' },
        setup_instructions: ['Make a token.', 'Paste the webhook URL into the platform.'],
        credentials: [
          { key: 'CONTRACT_TOKEN', type: 'api_key', maps_to: 'token' },
          { key: 'CONTRACT_SECRETS', type: 'text', maps_to: 'signing_secret' },
        ],
      });
    });

    it('is mounted under its slug, which its health names too', async () => {
      await adapter.manifest({ slug: 'another' });
      expect((await world.ask<Schema<'Problem'>>('POST', 'adapters', { url: adapter.url })).body.code).toBe(
        'slug_mismatch',
      );
      await adapter.manifest({});
      await adapter.answer('health', { json: { status: 'ready', version: '1', adapter: 'another' } });
      expect((await world.ask<Schema<'Problem'>>('POST', 'adapters', { url: adapter.url })).body.code).toBe(
        'slug_mismatch',
      );
    });

    it.each<[string, object]>([
      ['HTML', { text: '<p>', headers: { 'content-type': 'text/html' } }],
      ['JSON as text', { text: '{}', headers: { 'content-type': 'text/plain' } }],
      ['a list', { json: [] }],
      ['no JSON', { text: '{"slug":' }],
      ['500', { status: 500, json: {} }],
      ['nothing', { drop: true }],
    ])('is refused with the reason when its manifest is %s', async (_what, script) => {
      await adapter.answer('manifest.json', script);
      const { status, body } = await world.ask<Schema<'Problem'>>('POST', 'adapters', { url: adapter.url });
      expect([status, body.code]).toEqual([422, 'adapter_unreachable']);
      expect(body.detail).toContain('/manifest.json');
    });

    it('has a new version at every refresh that brings another manifest, which waits where it matters', async () => {
      const id = await world.register(adapter);
      await adapter.manifest({ description: 'Another description.' });
      const words = (await world.ask<Schema<'RefreshedAdapterView'>>('POST', `adapters/${id}/refresh`, {})).body;
      expect(words).toMatchObject({ pending: false, version: { number: 2 }, adapter: { manifest_version: 2 } });
      await adapter.manifest({ capabilities: ['send'] });
      const matters = (await world.ask<Schema<'RefreshedAdapterView'>>('POST', `adapters/${id}/refresh`, {})).body;
      expect(matters).toMatchObject({ pending: true, version: { number: 3 }, adapter: { manifest_version: 2 } });
      expect(matters.version.differences).toEqual(
        expect.arrayContaining([expect.objectContaining({ path: expect.stringContaining('/capabilities') })]),
      );
      const approved = (await world.ask<Schema<'AdapterView'>>('POST', `adapters/${id}/versions/3/approve`, {})).body;
      expect(approved.manifest.capabilities).toEqual(['send']);
    });

    it.each<[string, object]>([
      ['another status', { json: { status: 'starting', version: '2', adapter: 'SLUG' } }],
      ['Ready in capitals', { json: { status: 'READY', version: '2', adapter: 'SLUG' } }],
      ['no version', { json: { status: 'ready', adapter: 'SLUG' } }],
      ['an empty version', { json: { status: 'ready', version: ' ', adapter: 'SLUG' } }],
      ['a number as version', { json: { status: 'ready', version: 3, adapter: 'SLUG' } }],
      ['500', { status: 500, json: {} }],
      ['HTML', { text: 'ready', headers: { 'content-type': 'text/html' } }],
    ])('is not ready while its health says %s, and ready when it does', async (_what, script) => {
      const id = await world.register(adapter);
      const answer = JSON.parse(JSON.stringify(script).replace('SLUG', adapter.slug)) as object;
      await adapter.answer('health', answer);
      const unready = await until('it is not ready', async () => {
        const row = await page(id);
        return row.state === 'unready' ? row : null;
      });
      expect(unready.state_reason).toEqual(expect.stringMatching(/./));
      await adapter.unscript('health');
      await until('it is ready', async () => (await page(id)).state === 'ready');
    });

    it('has the Skill of its manifest, and shows why one could not be made', async () => {
      const skill = { name: 'Contract', knowledge: 'Be kind to the contract.', tool_names: ['http_request'] };
      await adapter.manifest({ skill });
      const id = await world.register(adapter);
      const made = await until('its Skill is made', async () => {
        const row = await page(id);
        return row.skill?.state === 'made' ? row.skill : null;
      });
      const { body } = await world.ask<Schema<'SkillDetail'>>('GET', `skills/${made.skill_id}`);
      expect(body).toMatchObject({ slug: adapter.slug, origin: 'manifest' });
      const taken = await world.adapters.mount('taken', { skill });
      await world.ask('POST', 'skills', { slug: taken.slug, name: 'Mine', knowledge: 'It was here first.' });
      const other = await world.register(taken);
      const failed = await until('it could not be made', async () => {
        const row = await page(other);
        return row.skill?.state === 'failed' ? row.skill : null;
      });
      expect(failed).toMatchObject({ code: 'slug_taken', next_try_at: null });
      expect(failed.error).toContain(taken.slug);
      expect(failed.what_to_do).toMatch(/refresh the adapter/);
    });
  });
}
