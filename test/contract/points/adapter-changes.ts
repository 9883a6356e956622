import type { Schema } from '../../../apps/console/src/api/named-schema.js';
import { until } from '#libs/testing';
import { type ContractProcess, startContractProcess } from '../contract-process.js';
import type { ContractApp, ContractWorld } from '../contract-world.js';

/** Adapters that are moved, renamed, disabled and unregistered. @param shared the running system */
export function holdAdapterChanges(shared: () => ContractWorld): void {
  describe('an adapter that changes', () => {
    let world: ContractWorld;
    let elsewhere: ContractProcess;

    beforeAll(async () => {
      elsewhere = await startContractProcess();
      world = shared();
    });
    afterAll(async () => {
      await elsewhere?.close();
    });

    const installed = async (name: string) => {
      const adapter = await world.adapters.mount(name, { credentials: [] });
      const app = await world.install(adapter);
      const { data } = (await world.ask<Schema<'AdapterPage'>>('GET', 'adapters')).body;
      const listed = data.find(({ slug }) => slug === adapter.slug);
      return { adapter, app, id: String(listed?.id) };
    };
    const appOf = async ({ id }: ContractApp): Promise<Schema<'AppView'>> =>
      (await world.ask<Schema<'AppView'>>('GET', `apps/${id}`)).body;

    it('stops receiving with a version that has no receive, and its App is named for the direction it has', async () => {
      const { adapter, app, id } = await installed('outbound');
      expect(app.direction).toBe('bidirectional');
      await adapter.manifest({ credentials: [], capabilities: ['send'] });
      const { version } = (await world.ask<Schema<'RefreshedAdapterView'>>('POST', `adapters/${id}/refresh`, {})).body;
      await world.ask('POST', `adapters/${id}/versions/${version.number}/approve`, {});
      expect(await appOf(app)).toMatchObject({ direction: 'outbound', name: 'Contract (outbound)', webhook_url: null });
      await until('its webhook takes nothing', async () => {
        const { status } = await world.send(app, { text: 'anybody there?' });
        return status === 404 || status === 410;
      });
    });

    it('can be renamed', async () => {
      const { id, adapter } = await installed('renamed');
      expect((await world.ask('PATCH', `adapters/${id}`, { name: 'Our own name' })).status).toBe(200);
      expect((await world.ask<Schema<'ListingView'>>('GET', `listings/${adapter.slug}`)).body.name).toBe(
        'Our own name',
      );
    });

    it('can be moved, and its App goes on at the new address', async () => {
      const { adapter, app, id } = await installed('moved');
      const moved = await elsewhere.mountAs(adapter.slug, { credentials: [] });
      expect((await world.ask('PATCH', `adapters/${id}`, { url: moved.url })).status).toBe(200);
      await until('the new address is asked', async () => {
        await world.outcomeOf(app, { text: 'hello' });
        return (await moved.calls('parse-inbound')).length > 0;
      });
    });

    it('can be disabled: what comes waits, and goes on when it is enabled', async () => {
      const { adapter, app, id } = await installed('disabled');
      expect((await world.ask('PATCH', `adapters/${id}`, { disabled: true })).status).toBe(200);
      const held = await until('a message waits', async () => {
        const { id: event } = await world.send(app, { text: 'wait for me' });
        const detail = await until(
          'it is there',
          async () => (await world.ask<Schema<'EventDetailView'>>('GET', `events/${event}`)).body,
        );
        return detail.outcome === null && (await adapter.calls()).length === 0 ? event : null;
      });
      await world.ask('PATCH', `adapters/${id}`, { disabled: false });
      expect(await world.ended(held)).toMatchObject({ outcome: 'routed' });
    });

    it('can be unregistered once no App of it is installed', async () => {
      const { app, id } = await installed('gone');
      expect((await world.ask('DELETE', `adapters/${id}`)).status).toBe(409);
      await world.ask('DELETE', `apps/${app.id}`);
      expect((await world.ask('DELETE', `adapters/${id}`)).status).toBe(204);
      expect((await world.ask('GET', `adapters/${id}`)).status).toBe(404);
    });

    it('shows where its manifest is approved that its Skill names a tool that there is not', async () => {
      const skill = { name: 'Contract', knowledge: 'Use the tool.', tool_names: ['no_such_tool'] };
      const adapter = await world.adapters.mount('unknown-tool', { credentials: [], skill });
      const id = await world.register(adapter);
      await until('it says so', async () => {
        const { manifest: _page, ...page } = (await world.ask<Schema<'AdapterView'>>('GET', `adapters/${id}`)).body;
        const { manifest: _version, ...version } = (
          await world.ask<Schema<'ManifestVersionView'>>('GET', `adapters/${id}/versions/1`)
        ).body;
        return JSON.stringify([page, version]).includes('no_such_tool');
      });
    });
  });
}
