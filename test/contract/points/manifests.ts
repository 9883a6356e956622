import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import type { ContractWorld } from '../contract-world.js';
import { hostileManifests } from '../hostile/hostile-manifests.js';

const credential = { key: 'TOKEN', type: 'api_key', label: 'Token', maps_to: 'token' };

/** Manifests that mean harm, by every door: an adapter's, a new one of an adapter, and without an adapter. */
export function holdManifests(shared: () => ContractWorld): void {
  describe('a manifest that means harm', () => {
    let world: ContractWorld;
    beforeAll(() => {
      world = shared();
    });
    let made = 0;
    const skill = { name: 'Harm', knowledge: 'Of a manifest.' };
    const without = (changes: object) => ({
      schema_version: '1.0',
      slug: `harm-${(made += 1)}`,
      name: 'Harm',
      description: 'A Skill without an adapter.',
      category: 'Integration',
      skill,
      ...changes,
    });

    it.each(hostileManifests)(
      'is refused by the name of what is wrong, by every door: %s',
      async (_what, changes, field) => {
        const isRefused = async (path: string, body: object): Promise<void> => {
          const { status, body: problem } = await world.ask<Schema<'Problem'>>('POST', path, body);
          expect([path, status, (problem.errors ?? []).map((error: { field: string }) => error.field)]).toEqual([
            path,
            422,
            field === null ? expect.any(Array) : expect.arrayContaining([expect.stringMatching(ends(field))]),
          ]);
          expect(JSON.stringify(problem)).not.toMatch(/alert|passwd|user:pass|KKKK|xxxx/);
          expect(JSON.stringify(problem).length).toBeLessThan(4_000);
        };
        const adapter = await world.adapters.mount('harm', { credentials: [], ...changes });
        await isRefused('adapters', { url: adapter.url });
        expect((await world.ask('GET', `listings/${adapter.slug}`)).status).toBe(404);
        await adapter.manifest({ credentials: [] });
        const id = await world.register(adapter);
        await adapter.manifest({ credentials: [], ...changes });
        await isRefused(`adapters/${id}/refresh`, {});
        const { body: page } = await world.ask<Schema<'AdapterView'>>('GET', `adapters/${id}`);
        expect([page.manifest_version, page.state]).toEqual([1, 'ready']);
        const own = without(changes);
        await isRefused('adapters', { manifest: own });
        expect((await world.ask('GET', `listings/${own.slug}`)).status).toBe(404);
      },
    );

    it('is kept where it harms nobody: names are cleaned where they are shown, and last of two fields is the one', async () => {
      const adapter = await world.adapters.mount('harmless', {
        name: 'Bank\u202e\u200b',
        category: 'comm\u2066unication',
        author: { name: 'Ba\u00adnk\u2069', url: 'https://bank.example' },
        credentials: [{ ...credential, label: 'To\u200bken\u202e', maps_to: 'toString' }],
      });
      const json = { schema_version: '1.0', slug: 'another', name: 'x', description: 'x', category: 'x' };
      const twice = (given: object) => `${JSON.stringify(json).slice(0, -1)},${JSON.stringify(given).slice(1)}`;
      const { body: token } = await world.ask<{ id: string }>('POST', 'credentials', {
        name: 'of harmless',
        type: 'api_key',
        fields: { token: 'a-token' },
      });
      const app = await world.install(adapter, { credentials: { TOKEN: token.id } });
      const { body } = await world.ask<Schema<'ListingView'>>('GET', `listings/${adapter.slug}`);
      expect(body).toMatchObject({
        name: 'Bank',
        category: 'communication',
        author: { name: 'Bank' },
        credentials: [{ label: 'Token', maps_to: 'toString' }],
      });
      await world.ask('POST', `apps/${app.id}/verify`);
      const [call] = await adapter.calls('verify');
      expect(Object.entries(Object(call?.body['credentials']))).toEqual([
        ['token', 'a-token'],
        ['toString', 'a-token'],
      ]);
      const other = await world.adapters.mount('twice', { credentials: [] });
      await other.answer('manifest.json', {
        text: twice({ slug: other.slug, name: 'Twice', capabilities: [], credentials: [] }),
        headers: { 'content-type': 'application/json' },
      });
      const id = await world.register(other);
      const { body: page } = await world.ask<Schema<'AdapterView'>>('GET', `adapters/${id}`);
      expect([page.slug, page.name, page.manifest.name]).toEqual([other.slug, 'Twice', 'Twice']);
    });
  });
}

/** The field, or one inside the manifest of a request. */
function ends(field: string): RegExp {
  return new RegExp(`(^|\\.)${field.replaceAll(/[[\]*.]/g, String.raw`\$&`)}$`);
}
