import { appChanged, columnsOf, newId } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { home, type Json, until } from '#libs/testing';
import type { AppView } from '../apps/app-view.dto.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';

describe('a registered adapter', () => {
  let world: GatewayWorld;
  let adapter: FakeAdapter;
  let id: string;
  let app: Json<AppView>;
  let made = 0;

  beforeAll(async () => {
    world = await startGateway();
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    adapter = await fakeAdapter(`moved-${(made += 1)}`, { name: 'Shop', credentials: [] });
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm' });
    id = (await world.call('POST', 'adapters', { url: adapter.url })).body.id;
    app = (await world.call('POST', `listings/${adapter.slug}/install`, {})).body;
  });
  afterEach(() => adapter.close());

  const change = (body: object) => world.call('PATCH', `adapters/${id}`, body);
  const appNow = async () => (await world.call('GET', `apps/${app.id}`)).body;
  const endpoint = async () => {
    const { endpoints } = (await world.internal('GET', 'endpoints?after=0')).body;
    return endpoints.find(({ app_id: of }) => of === app.id);
  };
  const putInForce = async (manifest: object): Promise<void> => {
    Object.assign(adapter.manifest, manifest);
    const { version } = (await world.call('POST', `adapters/${id}/refresh`, {})).body;
    expect((await world.call('POST', `adapters/${id}/versions/${version.number}/approve`)).status).toBe(200);
  };
  const deliver = async (): Promise<string> => {
    const body = { app_id: app.id, channel_address: 'a', message: { text: 'hi' }, idempotency_key: newId('dlv') };
    return (await world.internal('POST', 'adapter-calls/deliver', body)).body.delivery_id ?? '';
  };
  const delivery = (deliveryId: string, state: string) =>
    until(`the delivery is ${state}`, async () => {
      const { body } = await world.call('GET', `deliveries/${deliveryId}`);
      return body.state === state ? body : null;
    });

  const endOf = async (receiptId: string): Promise<string> => {
    const row = await until('the receipt has ended', async () => {
      const text = `SELECT reason FROM ${everyEntry} e WHERE receipt_id = $1 AND outcome = 'dead'`;
      return (await world.pool.query(text, [receiptId])).rows[0] ?? null;
    });
    return row.reason;
  };

  it('is under Needs attention while a manifest waits for approval, and its App while it is paused', async () => {
    const of = async (resource: string) => {
      const { data } = (await world.internal('GET', 'attention')).body;
      return data.filter((item) => item.resource.id === resource).map(({ code, text }) => ({ code, text }));
    };
    expect([...(await of(id)), ...(await of(app.id))]).toEqual([]);
    Object.assign(adapter.manifest, { capabilities: ['send'] });
    await world.call('POST', `adapters/${id}/refresh`, {});
    const text = `${adapter.slug}: version 2 of its manifest waits for approval.`;
    expect(await of(id)).toEqual([{ code: 'manifest_waits', text }]);
    await world.call('PATCH', `apps/${app.id}`, { state: 'paused' });
    const held = 'Shop (bidirectional) holds its messages because it is paused.';
    expect(await of(app.id)).toEqual([{ code: 'app_holds', text: held }]);
    await world.call('PATCH', `apps/${app.id}`, { state: 'active' });
    expect(await of(app.id)).toEqual([]);
  });

  describe('whose new manifest', () => {
    it('no longer offers receive ends what its App receives, and the App says so', async () => {
      const before = (await world.waiting(appChanged)).length;
      await putInForce({ capabilities: ['send'] });
      expect(await appNow()).toMatchObject({
        name: 'Shop (outbound)',
        direction: 'outbound',
        capabilities: ['send'],
        withdrawn_capabilities: ['receive'],
        webhook_url: null,
      });
      expect(await endpoint()).toMatchObject({ state: 'disabled' });
      await until('the ingress hears of it', async () => (await world.waiting(appChanged)).length > before);
      expect(await endOf(await world.receive(app.id, { request: null }))).toBe('receive_withdrawn');
      await world.call('POST', `adapters/${id}/roll-back`, { version: 1 });
      expect(await appNow()).toMatchObject({ name: 'Shop (bidirectional)', withdrawn_capabilities: [] });
      expect(await endpoint()).toMatchObject({ state: 'active' });
    });

    it('no longer offers send ends the deliveries of its App, with the reason', async () => {
      await putInForce({ capabilities: ['receive'] });
      expect((await appNow()).name).toBe('Shop (inbound)');
      const dead = await delivery(await deliver(), 'dead');
      expect(dead).toMatchObject({
        error: 'send_withdrawn',
        error_detail: expect.stringContaining('offers send no more'),
      });
      expect(adapter.calls).toEqual([]);
    });

    it('offers a further capability leaves its Apps without it until a person adds it', async () => {
      await putInForce({ capabilities: ['send'] });
      await world.call('DELETE', `apps/${app.id}`);
      app = (await world.call('POST', `listings/${adapter.slug}/install`, {})).body;
      const give = () => world.call('PATCH', `apps/${app.id}`, { capabilities: ['send', 'receive'] });
      expect((await give()).body.code).toBe('capability_not_offered');
      await putInForce({ capabilities: ['send', 'receive'] });
      expect((await appNow()).name).toBe('Shop (outbound)');
      expect((await give()).body).toMatchObject({ name: 'Shop (bidirectional)', direction: 'bidirectional' });
    });

    it('names missing tools warns of them wherever it is shown', async () => {
      const skill = { name: 'Shop', knowledge: 'Be kind.', tool_names: ['http_request', 'sell'] };
      Object.assign(adapter.manifest, { skill });
      const { adapter: shown, version } = (await world.call('POST', `adapters/${id}/refresh`, {})).body;
      const warning = { field: 'skill.tool_names[1]', message: expect.stringMatching(/no tool sell: .*http_request/) };
      expect([shown.warnings, version.warnings]).toEqual([[warning], [warning]]);
      const stored = await world.call('GET', `adapters/${id}/versions/${version.number}`);
      expect(stored.body.warnings).toEqual([warning]);
      const other = await fakeAdapter(`selling-${made}`, { skill, credentials: [] });
      expect((await world.call('POST', 'adapters', { url: other.url })).body.warnings).toEqual([warning]);
      await other.close();
    });

    it('names no hosts for a credential of http_request warns of it', async () => {
      const skill = { name: 'Shop', knowledge: 'Be kind.', tool_names: ['http_request'] };
      const declared = { type: 'text', label: 'Key', hosts: ['api.example.com'] };
      const credentials = [
        { ...declared, key: 'SHOP', maps_to: 'token', hosts: [] },
        { ...declared, key: 'OTHER', maps_to: 'other' },
        { ...declared, key: 'SIGNING', maps_to: 'signing_secret', hosts: [] },
      ];
      const silent = await fakeAdapter(`silent-${made}`, { skill, credentials });
      expect((await world.call('POST', 'adapters', { url: silent.url })).body.warnings).toEqual([
        { field: 'credentials[0].hosts', message: expect.stringContaining('sends SHOP nowhere') },
      ]);
      await silent.close();
    });
  });

  describe('that moves', () => {
    it('is called at its new address once it is healthy there with the same manifest', async () => {
      const elsewhere = await fakeAdapter(adapter.slug, { name: 'Shop', credentials: [] });
      elsewhere.routes['deliver'] = () => ({ ok: true, message_id: 'there' });
      elsewhere.health['status'] = 'starting';
      const unready = await change({ url: elsewhere.url });
      expect(unready).toMatchObject({ status: 422, body: { code: 'adapter_unready' } });
      elsewhere.health['status'] = 'ready';
      elsewhere.manifest['webhook'] = { verification: 'none' };
      const differs = await change({ url: elsewhere.url });
      expect(differs).toMatchObject({ status: 409, body: { code: 'manifest_needs_approval' } });
      expect(differs.body.detail).toContain('/webhook/verification');
      expect((await world.call('GET', `adapters/${id}`)).body.base_url).toBe(adapter.url);
      await world.call('POST', `adapters/${id}/versions/2/approve`);
      const moved = await change({ url: elsewhere.url });
      expect(moved.body).toMatchObject({ base_url: elsewhere.url, state: 'ready', slug: adapter.slug });
      await delivery(await deliver(), 'delivered');
      expect(elsewhere.calls.map(({ route }) => route)).toContain('deliver');
      expect(adapter.calls).toEqual([]);
      await elsewhere.close();
    });

    it('stays at its address when the new one has a different adapter, or none', async () => {
      const other = await fakeAdapter('other');
      expect((await change({ url: other.url })).body.code).toBe('slug_mismatch');
      await other.close();
      expect((await change({ url: `http://127.0.0.1:9/${adapter.slug}` })).body.code).toBe('adapter_unreachable');
      expect((await world.call('GET', `adapters/${id}`)).body.base_url).toBe(adapter.url);
    });
  });

  it('has a name of its own, or that of its manifest', async () => {
    expect((await change({ name: 'Shop of Berlin' })).body).toMatchObject({ name: 'Shop of Berlin' });
    expect((await world.call('GET', `listings/${adapter.slug}`)).body.name).toBe('Shop of Berlin');
    expect((await change({ name: null })).body).toMatchObject({ name: 'Shop' });
    const stranger = await world.call('PATCH', `adapters/${id}`, { name: 'Mine' }, { projectId: 'prj_other' });
    expect(stranger.status).toBe(404);
  });

  it('holds the work of its Apps while it is disabled, and releases it when it is enabled', async () => {
    expect((await change({ disabled: true })).body).toMatchObject({ disabled: true, state: 'ready' });
    expect(await appNow()).toMatchObject({ state: 'active', held_reason: 'adapter_disabled' });
    expect(await endpoint()).toMatchObject({ state: 'paused' });
    const waits = await delivery(await deliver(), 'queued');
    const reason = { error: 'adapter_disabled', error_detail: expect.stringContaining('disabled by a person') };
    const held = await until('the delivery says why', async () => {
      const { body } = await world.call('GET', `deliveries/${waits.id}`);
      return body.error ? body : null;
    });
    expect(held).toMatchObject(reason);
    expect(adapter.calls).toEqual([]);
    await change({ disabled: false });
    expect(await appNow()).toMatchObject({ held_reason: null });
    expect(await endpoint()).toMatchObject({ state: 'active' });
    expect(await delivery(waits.id, 'delivered')).toMatchObject({ attempts: 1 });
  });

  describe('that is to be unregistered', () => {
    const unregister = () => world.call('DELETE', `adapters/${id}`);

    it('stays while Apps of it are installed, and they are named', async () => {
      const { status, body } = await unregister();
      expect({ status, code: body.code }).toEqual({ status: 409, code: 'adapter_in_use' });
      expect(body.detail).toContain(`Shop (bidirectional) (${app.id})`);
      expect((await world.call('GET', `adapters/${id}`)).status).toBe(200);
    });

    it('is removed with its versions when they are retired; what waited for it comes to an end', async () => {
      adapter.health['status'] = 'starting';
      await until('it is not ready', async () => (await world.call('GET', `adapters/${id}`)).body.state === 'unready');
      const queued = await deliver();
      const job = { receipt_id: newId('evt'), app_id: app.id, received_at: new Date().toISOString() };
      await world.pool.query(
        `INSERT INTO gateway.inbound_wait (receipt_id, adapter_id, job, tries, reason, due_at, blocked_since)
         VALUES ($1, $2, $3, 0, 'adapter_unready', now(), now())`,
        [job.receipt_id, id, { ...job, ...columnsOf(home) }],
      );
      await world.call('DELETE', `apps/${app.id}`);
      expect((await unregister()).status).toBe(204);
      expect((await world.call('GET', `adapters/${id}`)).status).toBe(404);
      expect((await world.call('GET', `listings/${adapter.slug}`)).status).toBe(404);
      const left = await world.pool.query('SELECT 1 FROM gateway.manifest_version WHERE adapter_id = $1', [id]);
      expect(left.rowCount).toBe(0);
      expect(await endOf(job.receipt_id)).toBe('adapter_not_found');
      await world.call('POST', `deliveries/${queued}/redrive`);
      expect(await delivery(queued, 'dead')).toMatchObject({ error: 'adapter_not_found' });
      adapter.health['status'] = 'ready';
      expect((await world.call('POST', 'adapters', { url: adapter.url })).status).toBe(201);
    });
  });
});
