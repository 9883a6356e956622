import { until } from '#libs/testing';
import { Deliveries } from '../../testing/deliveries.js';
import { type GatewayWorld, startGateway } from '../../testing/gateway-world.js';
import { type FakeAdapter, fakeAdapter } from '../../testing/fake-adapter.js';

let world: GatewayWorld;
let adapter: FakeAdapter;
let adapterId: string;
let app: string;
let deliveries: Deliveries;

beforeAll(async () => {
  adapter = await fakeAdapter('wrong', { credentials: [] });
  world = await startGateway({}, adapter);
  deliveries = new Deliveries(world);
  adapterId = (await world.call('POST', 'adapters', { url: adapter.url })).body.id;
  app = (await world.call('POST', 'listings/wrong/install', {})).body.id;
});
afterAll(() => world.close());

const settled = async () => deliveries.inState(await deliveries.send(app), 'delivered', 'dead', 'unknown');
const shown = (violation: string): Promise<unknown> =>
  until('the page of the adapter shows it', async () => {
    const { body } = await world.call('GET', `adapters/${adapterId}`);
    return body.violation === violation;
  });

describe('a delivery whose adapter breaks the contract', () => {
  it('ends at its first attempt when the answer of /format is unusable', async () => {
    adapter.routes['format'] = () => ({ text: 'hello', parts: 'hello' });
    expect(await settled()).toMatchObject({ state: 'dead', error: 'contract_violation', attempts: 1 });
    await shown('/format: parts must be a list of texts, not a text');
    adapter.routes['format'] = ({ text }) => ({ text });
  });

  it('has arrived when /deliver says so, whatever the details are', async () => {
    adapter.routes['deliver'] = () => ({ ok: true, message_id: { id: 1 } });
    expect(await settled()).toMatchObject({ state: 'delivered' });
    await shown('/deliver: message_id must be a text or a whole number, not an object');
  });

  it('is unknown when /deliver does not say how much has arrived', async () => {
    adapter.routes['deliver'] = () => ({ ok: false, error: 'rate_limited', delivered_parts: 'two' });
    expect(await settled()).toMatchObject({ state: 'unknown' });
    await shown('/deliver: delivered_parts must be a whole number of at least 0, not a text');
  });
});

describe('a delivery whose adapter answers with a status', () => {
  const failing = (status: number, body?: string, headers = {}): void => {
    adapter.routes['deliver'] = (_body, response) =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
  const calls = () => adapter.bodiesOf('deliver').length;

  it.each<[number, string, string | undefined, RegExp]>([
    [400, 'invalid_request', undefined, /^\/deliver answered 400$/],
    [401, 'auth_failed', undefined, /^\/deliver answered 401$/],
    [403, 'permission_denied', '<html>', /^\/deliver answered 403$/],
    [403, 'permission_denied', '{"error":"not in this channel"}', /^\/deliver answered 403: not in this channel$/],
    [404, 'not_found', '{"ok":false,"message":"no such room"}', /^\/deliver answered 404: no such room$/],
    [410, 'address_moved', undefined, /^\/deliver answered 410$/],
    [413, 'too_large', undefined, /^\/deliver answered 413$/],
    [422, 'invalid_request', '{"ok":true}', /^\/deliver answered 422$/],
    [400, 'not_found', '{"ok":false,"error":"not_found"}', /^\/deliver answered 400: not_found$/],
    [418, 'invalid_request', undefined, /^\/deliver answered 418$/],
  ])('%i is dead at its first attempt as %s', async (status, error, body, words) => {
    const before = calls();
    failing(status, body);
    const row = await deliveries.inState(await deliveries.send(app), 'dead', 'unknown', 'delivered');
    expect(row).toMatchObject({ state: 'dead', error, attempts: 1 });
    expect(row.error_detail).toMatch(words);
    expect(calls()).toBe(before + 1);
  });

  it('a refusal of /format is final too, and says where it came from', async () => {
    const before = calls();
    const { format } = adapter.routes;
    adapter.routes['format'] = (_body, response) => void response.writeHead(404).end();
    const row = await deliveries.inState(await deliveries.send(app), 'dead', 'unknown', 'delivered');
    expect(row).toMatchObject({ state: 'dead', error: 'not_found', error_detail: '/format answered 404', attempts: 1 });
    expect(calls()).toBe(before);
    adapter.routes['format'] = format!;
  });

  it.each([
    [408, {}, 'provider_unavailable'],
    [425, {}, 'provider_unavailable'],
    [429, {}, 'rate_limited'],
    [503, {}, 'provider_unavailable'],
    [403, { 'retry-after': '0' }, 'provider_unavailable'],
  ])('%i is retried', async (status, headers, error) => {
    failing(status, '{}', headers);
    const id = await deliveries.send(app);
    await until('it is to be retried', async () => (await deliveries.read(id)).error === error);
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'later' });
    expect(await deliveries.inState(id, 'delivered', 'dead')).toMatchObject({ state: 'delivered' });
  });

  it('a refusal of the platform’s own signature ends no delivery, and names the secret', async () => {
    failing(401, '{"error":"bad_signature","message":"platform call refused: no signature matches"}');
    const id = await deliveries.send(app);
    const row = await until('it is to be retried', async () => {
      const now = await deliveries.read(id);
      return now.error === 'provider_unavailable' ? now : null;
    });
    expect(row.error_detail).toContain('GATEHOUSE_ADAPTER_SECRET');
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'later' });
    expect(await deliveries.inState(id, 'delivered', 'dead')).toMatchObject({ state: 'delivered' });
  });

  it('many refusals in a row do not stop deliveries that it accepts', async () => {
    failing(403);
    await Promise.all(
      Array.from({ length: 8 }, async () => deliveries.inState(await deliveries.send(app), 'dead', 'unknown')),
    );
    adapter.routes['deliver'] = () => ({ ok: true, message_id: 'accepted' });
    const row = await deliveries.inState(await deliveries.send(app), 'delivered', 'dead');
    expect(row).toMatchObject({ state: 'delivered', attempts: 1 });
    expect(await deliveries.journalOf(row.id)).not.toContain('retrying circuit_open');
  });
});
