import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';

let world: GatewayWorld;

beforeAll(async () => {
  world = await startGateway();
});
afterAll(() => world.close());

const install = (body: object) => world.call('POST', 'apps', { name: 'hook', kind: 'builtin', ...body });
const endpointOf = async (id: string) => {
  const { endpoints } = (await world.internal('GET', 'endpoints?after=0')).body;
  return endpoints.find(({ app_id: app }) => app === id);
};

it('choosing a sender fills in how requests are checked, read, answered and acknowledged', async () => {
  const { body: stripe } = await install({ sender: 'stripe' });
  expect(stripe).toMatchObject({
    sender: 'stripe',
    signature: { scheme: 'hmac', header: 'stripe-signature', prefix: 'v1=', timestamp_entry: 't' },
    reading: { event_type: ['{/type}'] },
  });
  const { body: zoom } = await install({ sender: 'zoom' });
  expect(await endpointOf(zoom.id)).toMatchObject({
    verification: { header: 'x-zm-signature' },
    handshake: { respond: { as: 'encryptedToken', echo_as: 'plainToken' } },
  });
  const { body: twilio } = await install({ sender: 'twilio' });
  expect(await endpointOf(twilio.id)).toMatchObject({ ack: { body: '<Response/>', content_type: 'text/xml' } });
});

it('another sender replaces all of it, none takes the reading away, and other changes keep it', async () => {
  const { body: app } = await install({ sender: 'stripe' });
  const change = async (body: object) => (await world.call('PATCH', `apps/${app.id}`, body)).body;
  expect(await change({ name: 'renamed' })).toMatchObject({ sender: 'stripe', reading: { event_type: ['{/type}'] } });
  expect(await change({ sender: 'svix' })).toMatchObject({
    signature: { scheme: 'standard-webhooks' },
    sender: 'svix',
  });
  const own = { event_type: ['{header:x-event}'], items: '/events' };
  expect(await change({ reading: own })).toMatchObject({ sender: 'svix', reading: own });
  const none = await change({ sender: null });
  expect([none.sender, none.reading, none.signature?.scheme]).toEqual([null, null, 'standard-webhooks']);
  expect((await change({ sender: 'github', signature_off: true })).signature).toBeNull();
});

it.each([
  [{ sender: 'nobody' }, 'unknown_sender'],
  [{ reading: { event_type: ['{type}'] } }, 'invalid_reading'],
  [{ reading: { sender: [''] } }, 'invalid_reading'],
  [{ reading: { items: 'events' } }, 'invalid_reading'],
  [{ reading: { text: 'no list' } }, 'invalid_fields'],
])('%j is refused', async (body, code) => {
  const refused = await install(body);
  expect([refused.status, refused.body.code]).toEqual([422, code]);
});

it('the senders are listed with what a person does', async () => {
  const { body } = await world.call('GET', 'listings/webhook/senders');
  expect(body.data.length).toBeGreaterThan(100);
  expect(body.data).toContainEqual(
    expect.objectContaining({ id: 'github', setup: expect.arrayContaining([expect.stringContaining('Add webhook')]) }),
  );
});
