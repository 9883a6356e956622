import { until } from '#libs/testing';
import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import type { ContractAdapter } from '../contract-process.js';
import type { ContractWorld } from '../contract-world.js';

/** Documents that an adapter lists and fetches. @param shared the running system */
export function holdSources(shared: () => ContractWorld): void {
  describe('documents of an adapter that was written from the contract alone', () => {
    let world: ContractWorld;
    let adapter: ContractAdapter;
    let source: string;

    beforeAll(() => {
      world = shared();
    });
    beforeEach(async () => {
      adapter = await world.adapters.mount('sources', { credentials: [], capabilities: [] });
      await world.register(adapter);
      const app = await world.api<{ id: string }>('POST', `/api/v1/listings/${adapter.slug}/install`, {});
      const made = { app_id: app.id, name: adapter.slug, resource_path: 'library' };
      source = (await world.api<{ id: string }>('POST', '/api/v1/sources', made)).id;
    });

    const synced = async (): Promise<Schema<'SyncRunView'>> => {
      const { body } = await world.ask<Schema<'SyncRunView'>>('POST', `sources/${source}/sync`);
      return until('the run has ended', async () => {
        const run = (await world.ask<Schema<'SyncRunView'>>('GET', `sources/${source}/runs/${body.id}`)).body;
        return run.finished_at ? run : null;
      });
    };
    const documents = async (): Promise<Record<string, string>> => {
      const { body } = await world.ask<Schema<'SourceDocumentPage'>>('GET', `sources/${source}/documents`);
      return Object.fromEntries(body.data.map((row) => [row.path, row.state]));
    };
    const content = async (path: string): Promise<string> => {
      const { body } = await world.ask<Schema<'SourceDocumentPage'>>(
        'GET',
        `sources/${source}/documents?prefix=${path}`,
      );
      return (await world.ask<string>('GET', `sources/${source}/documents/${body.data[0]?.id}/content`)).body;
    };

    it('are listed from null, then from the cursor before, and fetched once for each change', async () => {
      await adapter.files({ 'a.txt': 'one', 'b.txt': 'two' });
      expect(await synced()).toMatchObject({ state: 'succeeded', added: 2, changed: 0, removed: 0, failed: 0 });
      await adapter.files({ 'a.txt': 'one more' });
      expect(await synced()).toMatchObject({ state: 'succeeded', added: 0, changed: 1, removed: 1 });
      expect(await documents()).toEqual({ 'a.txt': 'current', 'b.txt': 'removed' });
      expect(await content('a.txt')).toBe('one more');
      const listings = (await adapter.calls('sources/list-changes')).map(({ body }) => body);
      expect(listings[0]).toEqual({ credentials: {}, resource_path: 'library', cursor: null });
      expect(listings[1]?.['cursor']).toEqual(expect.stringContaining('a.txt'));
      const [fetched] = await adapter.calls('sources/fetch-file');
      expect(fetched?.body).toEqual({ credentials: {}, resource_path: 'library', file_path: 'a.txt' });
      expect(await adapter.calls('sources/fetch-file')).toHaveLength(3);
    });

    it('come as bytes, or as base64 in JSON', async () => {
      await adapter.files({ 'a.txt': 'x' });
      await adapter.answer('sources/fetch-file', {
        json: { content_base64: Buffer.from('in base64').toString('base64') },
      });
      expect(await synced()).toMatchObject({ state: 'succeeded', added: 1 });
      expect(await content('a.txt')).toBe('in base64');
    });

    it('become knowledge', async () => {
      await adapter.files({ 'a.txt': 'The library opens at nine.' });
      await synced();
      await until('the engine has it', async () => {
        const { body } = await world.ask<Schema<'SourceDocumentPage'>>('GET', `sources/${source}/documents`);
        return body.data[0]?.knowledge === 'kept' && body.data[0]?.knowledge_failure === null;
      });
    });

    it('that cannot be listed are shown to be so on their source, until they can', async () => {
      await adapter.answer('sources/list-changes', { json: { changes: 'none', cursor: 'x' } });
      expect(await synced()).toMatchObject({ state: 'failed', error: 'contract_violation' });
      const { body } = await world.ask<Schema<'SourceView'>>('GET', `sources/${source}`);
      expect(body.sync_failure).toMatchObject({ code: 'contract_violation', next_try_at: null });
      expect(body.sync_failure?.what_to_do).toMatch(/synchronise/);
      await adapter.unscript('sources/list-changes');
      expect(await synced()).toMatchObject({ state: 'succeeded' });
      expect((await world.ask<Schema<'SourceView'>>('GET', `sources/${source}`)).body.sync_failure).toBeNull();
    });

    it('of which one cannot be fetched are kept but for that one, which is named', async () => {
      await adapter.files({ 'a.txt': 'one' });
      await adapter.answer('sources/fetch-file', { json: { ok: false, error: 'permission_denied' } });
      expect(await synced()).toMatchObject({ failed: 1 });
      const { body } = await world.ask<Schema<'SourceView'>>('GET', `sources/${source}`);
      expect(body.sync_failure).toMatchObject({ code: 'documents_failed', error: expect.stringContaining('a.txt') });
    });
  });
}
