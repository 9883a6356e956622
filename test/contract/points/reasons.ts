import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import type { ContractWorld } from '../contract-world.js';

/** The reasons that the portal gives when it refuses. @param shared the running system */
export function holdReasons(shared: () => ContractWorld): void {
  describe('what the portal refuses', () => {
    let world: ContractWorld;

    beforeAll(() => {
      world = shared();
    });

    const raw = async (path: string, init: RequestInit) => {
      const answer = await fetch(`${world.origin('portal')}/api/v1/${path}`, {
        ...init,
        headers: { authorization: `Bearer ${world.apiKey}`, ...init.headers },
      });
      return { status: answer.status, text: await answer.text() };
    };

    it('is not the channel of a new App', async () => {
      const adapter = await world.adapters.mount('new', { credentials: [] });
      await world.register(adapter);
      const { body: app } = await world.ask<Schema<'AppView'>>('POST', `listings/${adapter.slug}/install`, {});
      expect((await world.ask('GET', `channels/${app.id}`)).status).toBe(200);
    });

    it('is not a DELETE with a JSON type and no body', async () => {
      const { body: app } = await world.ask<Schema<'AppView'>>('POST', 'apps', {
        name: 'short-lived',
        kind: 'builtin',
      });
      const { status } = await raw(`apps/${app.id}`, {
        method: 'DELETE',
        headers: { 'content-type': 'application/json' },
      });
      expect(status).toBe(204);
    });

    it.each(['apps', 'adapters', 'events', 'runs', 'credentials', 'deliveries', 'sources'])(
      'is a cursor of %s that is none',
      async (resource) => {
        const { status, text } = await raw(`${resource}?cursor=not-a-cursor`, {});
        // Lists without pages have no cursor.
        if (['apps', 'adapters'].includes(resource) && status === 200) return;
        expect([resource, status >= 400 && status < 500]).toEqual([resource, true]);
        expect(text).toMatch(/cursor/);
      },
    );

    it('is a Last-Event-ID that is none', async () => {
      const ended = new AbortController();
      const answer = await fetch(`${world.origin('portal')}/api/v1/events/stream`, {
        headers: { authorization: `Bearer ${world.apiKey}`, 'last-event-id': 'not-an-id' },
        signal: ended.signal,
      });
      const refused = answer.status >= 400 && answer.status < 500;
      const text = refused ? await answer.text() : '';
      ended.abort();
      expect(refused).toBe(true);
      expect(text).toMatch(/Last-Event-ID/i);
    });

    it('is reported by its true reason: a number beyond what is whole, a slug that is missing', async () => {
      const { body } = await world.ask<Schema<'Problem'>>('POST', 'adapters', {
        manifest: { schema_version: '1.0', name: 'x' },
      });
      expect(body.detail).not.toContain('undefined');
      const run = await raw('workflows/9007199254740993', {});
      expect([run.status === 404 || run.status === 422, run.text.includes('undefined')]).toEqual([true, false]);
    });
  });
}
