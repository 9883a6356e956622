import { until } from '#libs/testing';
import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import type { ContractAdapter } from '../contract-process.js';
import type { ContractApp, ContractWorld } from '../contract-world.js';

/** Every typed field in an adapter's answers. @param shared the running system */
export function holdTypedFields(shared: () => ContractWorld): void {
  describe('an answer whose fields are of a wrong type', () => {
    let world: ContractWorld;
    let adapter: ContractAdapter;
    let app: ContractApp;

    beforeAll(async () => {
      world = shared();
      adapter = await world.adapters.mount('typed', { credentials: [] });
      app = await world.install(adapter);
    });

    const message = { event_type: 'message_received', sender: 'jane', message: 'hello', is_bot: false };
    const violation = async (): Promise<string | null> => {
      const { data } = (await world.ask<Schema<'AdapterPage'>>('GET', 'adapters')).body;
      return data.find(({ slug }) => slug === adapter.slug)?.violation ?? null;
    };
    const broken = async (field: string, answer: object): Promise<void> => {
      await adapter.answer('parse-inbound', { json: answer });
      const event = await world.outcomeOf(app, { text: 'x' });
      await adapter.unscript('parse-inbound');
      const end = event.timeline.find(({ terminal }) => terminal);
      expect([event.outcome, end?.reason]).toEqual(['dead', 'contract_violation']);
      expect(JSON.stringify(end)).toContain(field);
      await until('its page names the field', async () => (await violation())?.includes(field));
    };

    it.each<[string, unknown]>([
      ['is_bot', 'true'],
      ['is_bot', 1],
      ['dedup_key', [5]],
      ['thread_id', 7.5],
      ['metadata', 'x'],
      ['metadata', ['x']],
      ['event_type', 5],
      ['is_dm', 'yes'],
      ['sender', 5],
      ['message', { text: 'x' }],
    ])('of a parsed message is a violation that names it: %s = %j', (field, value) =>
      broken(field, { ...message, [field]: value }),
    );

    it.each([true, 7.5, ['C1'], { id: 'C1' }])('as the address of a reply is one too: %j', (address) =>
      broken('metadata.channel_address', { ...message, metadata: { channel_address: address } }),
    );

    it.each<[string, object]>([
      ['HTML', { text: '<p>', headers: { 'content-type': 'text/html' } }],
      ['JSON under another type', { text: '{"ok":true}', headers: { 'content-type': 'text/plain' } }],
      ['a list', { json: [] }],
      ['no JSON', { text: '{"sender":' }],
    ])('that is no JSON object at all is one on the first attempt: %s', async (_what, script) => {
      await adapter.answer('parse-inbound', script);
      const event = await world.outcomeOf(app, { text: 'x' });
      await adapter.unscript('parse-inbound');
      expect([event.outcome, event.timeline.find(({ terminal }) => terminal)?.reason]).toEqual([
        'dead',
        'contract_violation',
      ]);
    });

    it.each(['is_bot', 'event_type'])('that is missing in trigger mode is one too: %s', async (field) => {
      const workflow = { name: `needs ${field}`, instructions: 'reply: seen' };
      const { id } = await world.api<{ id: number }>('POST', '/api/v1/workflows', workflow);
      await world.api('POST', '/api/v1/triggers', { app_id: app.id, workflow_id: id, event_types: ['anything'] });
      await world.api('PATCH', `/api/v1/channels/${app.id}`, { route_policy: 'triggers' });
      const { [field as 'is_bot']: _missing, ...rest } = message;
      await broken(field, rest);
      await world.api('PATCH', `/api/v1/channels/${app.id}`, { route_policy: 'both' });
    });

    it.each<[string, unknown]>([
      ['icon', 5],
      ['setup_instructions', 'do it'],
      ['schema_version', '9.9'],
      ['schema_version', 1],
      ['author', 'me'],
      ['capabilities', ['receive', 'fly']],
      ['credentials', [{ key: 'A', type: 'password', label: 'A', maps_to: 'a' }]],
      ['credentials', [{ key: 'A', type: 'text', label: 'A' }]],
      ['skill', { name: 'S' }],
    ])('of a manifest is refused by name: %s = %j', async (field, value) => {
      const wrong = await world.adapters.mount('manifest', { [field]: value });
      const { status, body } = await world.ask<Schema<'Problem'>>('POST', 'adapters', { url: wrong.url });
      expect([status, body.code]).toEqual([422, 'invalid_manifest']);
      expect(JSON.stringify(body.errors ?? body.detail)).toContain(field);
    });

    it('of a fetched file is never stored as text', async () => {
      const library = await world.adapters.mount('library', { credentials: [], capabilities: [] });
      await world.register(library);
      const { id: appId } = await world.api<{ id: string }>('POST', `/api/v1/listings/${library.slug}/install`, {});
      const made = { app_id: appId, name: 'library', resource_path: 'r' };
      const { id } = await world.api<{ id: string }>('POST', '/api/v1/sources', made);
      await library.files({ 'a.txt': 'x' });
      for (const json of [{ content_base64: 5 }, { content_base64: 'not base64!' }, { content: 'x' }, ['x'], 'x']) {
        await library.answer('sources/fetch-file', { json });
        const { body: begun } = await world.ask<Schema<'SyncRunView'>>('POST', `sources/${id}/sync`);
        const run = await until('the run has ended', async () => {
          const { body } = await world.ask<Schema<'SyncRunView'>>('GET', `sources/${id}/runs/${begun.id}`);
          return body.finished_at ? body : null;
        });
        expect([json, run.added, run.failed + (run.state === 'failed' ? 1 : 0)]).toEqual([json, 0, 1]);
        expect(JSON.stringify([run.error, run.error_detail, run.failures])).toMatch(/contract_violation|fetch-file/);
      }
      expect((await world.ask<Schema<'SourceDocumentPage'>>('GET', `sources/${id}/documents`)).body.data).toEqual([]);
    });
  });
}
