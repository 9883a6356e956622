import { createHmac } from 'node:crypto';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';

const sample = { title: 'It fails' };

let world: GatewayWorld;
let adapter: FakeAdapter;
let app: string;

beforeAll(async () => {
  adapter = await fakeAdapter('sampled', {
    webhook: { verification: { scheme: 'hmac', header: 'X-Mac', prefix: 'v1=', secret_fields: ['token'] } },
    events: [
      { type: 'nothing_to_try' },
      { type: 'opened', sample, sample_headers: { 'X-Kind': 'issues', Host: 'elsewhere', 'x-number': 1 } },
    ],
  });
  world = await startGateway({}, adapter);
  world.vault.credentials.set('cred_1', { TOKEN: 'a-secret-that-both-share' });
  app = (await world.install(adapter, { credential_id: 'cred_1' })).id;
});
afterAll(() => world.close());

const send = async (body: object, as = {}) => (await world.call('POST', `apps/${app}/samples`, body, as)).body;

describe('samples of a manifest', () => {
  it('are listed with what they need, as far as they can be sent', async () => {
    const { body } = await world.call('GET', `apps/${app}/samples`);
    expect(body).toMatchObject({ kinds: ['signed', 'unsigned', 'tampered'], cannot_sign: null });
    expect(body.data).toEqual([
      { event_type: 'opened', description: null, headers: { 'x-kind': 'issues' }, body: JSON.stringify(sample) },
    ]);
  });

  it('are signed with the secret of the App by the declared scheme; a webhook that nobody answers is reported', async () => {
    const { sent, answer, error, event_id } = await send({ event_type: 'opened' });
    const mac = createHmac('sha256', 'a-secret-that-both-share').update(JSON.stringify(sample)).digest('hex');
    expect(sent.headers).toEqual({ 'content-type': 'application/json', 'x-kind': 'issues', 'x-mac': `v1=${mac}` });
    expect({ answer, event_id, code: error?.code }).toEqual({ answer: null, event_id: null, code: expect.any(String) });
    const tampered = await send({ kind: 'tampered' });
    expect([tampered.sent.headers['x-mac'], tampered.sent.body]).toEqual([`v1=${mac}`, `${JSON.stringify(sample)} `]);
    expect((await send({ kind: 'stale' })).code).toBe('no_time_is_signed');
  });

  it('can be sent by whoever manages Apps; a stored event by whoever may read its body', async () => {
    expect((await send({}, { scopes: ['apps:read'] })).code).toBe('scope_missing');
    expect((await send({ event_id: 'evt_1' })).code).toBe('scope_missing');
  });
});
