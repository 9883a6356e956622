import { columnsOf, deliverySend, type InboundRequest, newId, type NormalizedMessage } from '#libs/contracts';
import { home, until } from '#libs/testing';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';

interface Sent {
  marker: string;
  body: Record<string, unknown>;
  headers: IncomingHttpHeaders;
}

describe('the origin of a message', () => {
  let world: GatewayWorld;
  let adapter: FakeAdapter;
  let receiver: Server;
  let receiverUrl: string;
  const sent: Sent[] = [];
  let answerAfter: Promise<void> | null = null;
  const apps = { first: '', second: '', chat: '' };

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => (text += chunk));
      request.on('end', () => {
        const marker = String(request.headers['x-gatehouse-origin']);
        sent.push({ marker, body: JSON.parse(text), headers: request.headers });
        void (answerAfter ?? Promise.resolve()).then(() => response.end());
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    adapter = await fakeAdapter('chat');
    world = await startGateway({}, adapter);
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'm1' });
    apps.chat = (await world.install(adapter)).id;
    apps.first = (await world.call('POST', 'apps', { name: 'first', kind: 'builtin' })).body.id;
    apps.second = (await world.call('POST', 'apps', { name: 'second', kind: 'builtin' })).body.id;
  });
  afterAll(async () => {
    await world.close();
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
  });

  /** @param hops of the message that is answered */
  async function deliver(appId: string, hops?: number, turnId: string | null = null): Promise<Sent> {
    const target = { app_id: appId, channel_address: receiverUrl, thread_id: null, reply_context: null };
    const before = sent.length;
    await world.jobs.enqueue(deliverySend, {
      delivery_id: newId('dlv'),
      ...columnsOf(home),
      receipt_id: newId('evt'),
      turn_id: turnId,
      content: { text: 'hello', target: { ...target, ...(hops === undefined ? {} : { hops }) } },
    });
    return until('the delivery arrived', () => sent[before]);
  }

  async function receive(appId: string, body: object, headers: InboundRequest['headers'] = {}) {
    const job = await world.routed(await world.receive(appId, { request: { headers, body: JSON.stringify(body) } }));
    return { job, message: job.messages?.[0] as NormalizedMessage };
  }

  it('travels in a header and a field, and counts the hops that led to it', async () => {
    const { marker, body } = await deliver(apps.first);
    expect(body['gatehouse_origin']).toBe(marker);
    expect(marker).toContain(body['delivery_id']);
    expect(body['thread_id']).toBe('');
    const byHeader = await receive(apps.second, { task: 'x' }, { 'x-gatehouse-origin': marker });
    expect(byHeader.message).toMatchObject({ is_bot: false, origin: { delivery_id: body['delivery_id'], hops: 1 } });
    const third = await deliver(apps.second, 2);
    const byField = await receive(apps.first, { task: 'x', gatehouse_origin: third.marker });
    expect(byField.message).toMatchObject({
      is_bot: false,
      origin: { delivery_id: third.body['delivery_id'], hops: 3 },
    });
    const both = await receive(apps.second, { gatehouse_origin: marker }, { 'x-gatehouse-origin': marker });
    expect(both.message.origin?.hops).toBe(1);
  });

  it('is known of a first attempt, which has no row until it has arrived', async () => {
    let arrived: (() => void) | undefined;
    answerAfter = new Promise<void>((resolve) => (arrived = resolve));
    try {
      const { marker, body } = await deliver(apps.first, 2, newId('trn'));
      const { message } = await receive(apps.second, { task: 'x' }, { 'x-gatehouse-origin': marker });
      expect(message.origin).toEqual({ delivery_id: body['delivery_id'], hops: 3 });
    } finally {
      arrived?.();
      answerAfter = null;
    }
  });

  it('makes the own message of an App one of a bot (spec 4.2)', async () => {
    const { marker } = await deliver(apps.first);
    const { message } = await receive(apps.first, { task: 'x' }, { 'x-gatehouse-origin': marker });
    expect(message).toMatchObject({ is_bot: true, metadata: { is_self: true } });
    expect(message).not.toHaveProperty('origin');
  });

  it('takes the longest of several chains, and ignores what names no delivery of that App', async () => {
    const [near, far] = [await deliver(apps.first), await deliver(apps.first, 2)];
    const several = { 'x-gatehouse-origin': `${near.marker}, ${far.marker}` };
    expect((await receive(apps.second, {}, several)).message.origin?.hops).toBe(3);
    const [mark, delivery] = far.marker.split('.');
    const forged = [
      mark,
      `${mark}.${newId('dlv')}`,
      `${'0'.repeat(32)}.${delivery}`,
      `${far.marker}.9`,
      "' OR true --",
      'x'.repeat(5_000),
      { hops: 9 },
      null,
    ];
    for (const gatehouse_origin of forged) {
      const { message } = await receive(apps.second, { task: 'x', gatehouse_origin });
      expect(message).toMatchObject({ is_bot: false, message: 'x' });
      expect(message).not.toHaveProperty('origin');
    }
  });

  it('is given to adapters, and read from what they find', async () => {
    const { marker } = await deliver(apps.first, 1);
    const parsed = { event_type: 'message_received', sender: 'ada', message: 'm', is_bot: false };
    adapter.routes['parse-inbound'] = () => ({ ...parsed, metadata: { origin_marker: marker }, origin: { hops: 9 } });
    const other = await receive(apps.chat, {});
    expect(other.message).toMatchObject({ is_bot: false, origin: { hops: 2 } });
    adapter.routes['parse-inbound'] = () => ({ ...parsed, origin: { hops: 9, delivery_id: 'dlv_1' } });
    expect((await receive(apps.chat, {})).message).not.toHaveProperty('origin');
    const id = newId('dlv');
    await world.jobs.enqueue(deliverySend, {
      delivery_id: id,
      ...columnsOf(home),
      receipt_id: newId('evt'),
      turn_id: null,
      content: {
        text: 'hello',
        target: { app_id: apps.chat, channel_address: 'room', thread_id: null, reply_context: null },
      },
    });
    const call = await until('the adapter is asked', () => adapter.calls.find(({ route }) => route === 'deliver'));
    const own = call.body.origin_marker;
    expect(own).toMatch(new RegExp(`^[0-9a-f]{32}\\.${id}$`));
    adapter.routes['parse-inbound'] = () => ({ ...parsed, metadata: { origin_marker: own } });
    expect((await receive(apps.chat, {})).message.is_bot).toBe(true);
  });

  it('marks an App that cannot send, and one whose channel shows that an answer is written', async () => {
    adapter.routes['parse-inbound'] = () => ({
      event_type: 'message_received',
      sender: 'ada',
      message: 'm',
      is_bot: false,
    });
    const { job } = await receive(apps.chat, {});
    expect([job.app_sends, job.app_types]).toEqual([undefined, undefined]);
    const inbound = await fakeAdapter('inbound-only', { features: ['typing'] });
    inbound.routes['parse-inbound'] = adapter.routes['parse-inbound'];
    await world.call('POST', 'adapters', { url: inbound.url });
    const installed = await world.call('POST', 'listings/inbound-only/install', { capabilities: ['receive'] });
    expect((await receive(installed.body.id, {})).job).toMatchObject({
      app_sends: false,
      app_types: true,
      app_interim: 'once',
    });
    await inbound.close();
  });
});

describe('an App whose replies have no destination', () => {
  let world: GatewayWorld;

  beforeAll(async () => {
    world = await startGateway();
  });
  afterAll(() => world.close());

  const reply = (id: string, reply_address: unknown) =>
    world.internal('PUT', `apps/${id}/reply-address`, { reply_address });
  const warningsOf = async (id: string): Promise<unknown> => (await world.call('GET', `apps/${id}`)).body.warnings;

  it('says so from its installation on, until its channel has an address', async () => {
    const { body } = await world.call('POST', 'apps', { name: 'hook', kind: 'builtin' });
    const warning = {
      code: 'no_reply_address',
      message: expect.stringContaining('set the reply address (reply_address)'),
    };
    expect(body.warnings).toEqual([warning]);
    expect(await reply(body.id, 'https://replies.example/in')).toMatchObject({ status: 204 });
    expect(await warningsOf(body.id)).toEqual([]);
    await reply(body.id, null);
    expect(await warningsOf(body.id)).toEqual([warning]);
  });

  it.each(['replies.example', 'ftp://replies.example/', 'https://user:pass@replies.example/', ''])(
    'accepts no address that the Webhook App cannot post to: %s',
    async (address) => {
      const { body } = await world.call('POST', 'apps', { name: 'hook', kind: 'builtin' });
      expect(await reply(body.id, address)).toMatchObject({ status: 422, body: { code: 'invalid_reply_address' } });
      expect(await warningsOf(body.id)).toHaveLength(1);
    },
  );

  it('says so where it has no send capability; one that can send replies to the sender', async () => {
    const adapter = await fakeAdapter('talk');
    await world.call('POST', 'adapters', { url: adapter.url });
    const { body } = await world.call('POST', 'listings/talk/install', { capabilities: ['receive'] });
    expect(body.warnings).toMatchObject([{ code: 'app_cannot_send' }]);
    await world.call('DELETE', `apps/${body.id}`);
    expect((await world.call('POST', 'listings/talk/install', {})).body.warnings).toEqual([]);
    await adapter.close();
  });

  it('is not looked for in another project', async () => {
    const { body } = await world.call('POST', 'apps', { name: 'hook', kind: 'builtin' });
    const strange = { organizationId: newId('org'), projectId: newId('prj') };
    const path = `apps/${body.id}/reply-address`;
    expect((await world.internal('PUT', path, { reply_address: null }, strange)).status).toBe(404);
  });
});
