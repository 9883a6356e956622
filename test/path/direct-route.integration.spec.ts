import { type Endpoint, inboundParse, messageRoute, type MessageRoutePayload, newId } from '#libs/contracts';
import type { Scope } from '#libs/service-kit';
import { home, until } from '#libs/testing';
import { type GatewayWorld, startGateway } from '../../apps/adapter-gateway/src/testing/gateway-world.js';
import { DirectRoutes, parseJob, PublicAddress } from '../../apps/webhook-ingress/src/path/receipts/receipt-job.js';
import type { Receipt } from '../../apps/webhook-ingress/src/path/receipts/receipt.repository.js';
import { receipt } from '../../apps/webhook-ingress/src/testing/receipts-world.js';

const settings = {
  INLINE_LIMIT_BYTES: 16_384,
  MESSAGE_MAX_DEPTH: 100,
  FILTER_REQUEST_BYTES: 8_192,
  DIRECT_PARSES_PER_SECOND: 1_000,
};
const at = new PublicAddress({ PUBLIC_URL: 'https://gatehouse.example' });
const json = { 'content-type': 'application/json' };

describe('a request of the built-in Webhook App', () => {
  let world: GatewayWorld;
  let endpoints: Map<string, Endpoint>;
  const apps: Record<string, string> = {};

  beforeAll(async () => {
    world = await startGateway();
    const ways = { plain: {}, github: { sender: 'github' }, system: {} };
    for (const [name, more] of Object.entries(ways)) {
      const { body } = await world.call('POST', 'apps', { name, kind: 'builtin', ...more });
      apps[name] = body.id;
    }
    const manager = { scopes: ['apps:write', 'approvals:manage'] satisfies Scope[] };
    await world.call('PATCH', `apps/${apps['system']}`, { text_from: 'system' }, manager);
    const { body } = await world.internal('GET', 'endpoints?after=0');
    endpoints = new Map((body as { endpoints: Endpoint[] }).endpoints.map((each) => [each.app_id, each]));
  });
  afterAll(() => world.close());

  const of = (app: string, body: string, over: Partial<Receipt> = {}): Receipt =>
    receipt({
      ...home,
      id: newId('evt'),
      appId: apps[app] ?? '',
      url: '/api/v1/webhooks/tok_12345?a=b',
      headers: json,
      body: Buffer.from(body),
      verifiedScheme: 'none',
      ...over,
    });
  const direct = (one: Receipt, routes = new DirectRoutes(settings)): MessageRoutePayload | null => {
    const endpoint = endpoints.get(one.appId);
    if (!endpoint) throw new Error(`the gateway announced nothing of ${one.appId}`);
    return routes.routeOf(one, endpoint, parseJob(one, settings.INLINE_LIMIT_BYTES, at).request);
  };
  const atGateway = async (one: Receipt): Promise<MessageRoutePayload> => {
    await world.jobs.enqueue(inboundParse, parseJob(one, settings.INLINE_LIMIT_BYTES, at));
    return until('the gateway has parsed it', async () =>
      (await world.waiting(messageRoute)).find(({ receipt_id: id }) => id === one.id),
    );
  };
  /** Without what differs from run to run. */
  const comparable = (payload: MessageRoutePayload | null): unknown =>
    JSON.parse(
      JSON.stringify({ ...payload, entries: payload?.entries?.map((entry) => ({ ...entry, at: 0, duration_ms: 0 })) }),
    );

  it.each([
    ['plain', '{"task":"hello","thread_id":7,"metadata":{"source":"ci"}}', {}],
    ['plain', '{"text":"hello","big":12345678901234567890}', { headers: { ...json, 'idempotency-key': 'k' } }],
    ['plain', 'a=1&task=hello', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }],
    ['plain', '', {}],
    ['github', '{"action":"opened","sender":{"login":"ada"}}', { headers: { ...json, 'x-github-event': 'issues' } }],
    ['system', '{"task":"hello"}', { verifiedScheme: 'hmac' }],
  ])('is parsed by the ingress as by the gateway: %s %s', async (app, body, over) => {
    const one = of(app, body, over);
    const parsed = direct(one);
    expect(parsed).not.toBeNull();
    expect(comparable(parsed)).toEqual(comparable(await atGateway(one)));
  });

  it.each([
    ['that is no JSON', madeOf('plain', '{"task":')],
    ['that is too long for a job', madeOf('plain', JSON.stringify({ task: 'x'.repeat(20_000) }))],
    ['that is nested too deeply', madeOf('plain', `${'{"a":'.repeat(120)}1${'}'.repeat(120)}`)],
    ['that an App of this kind has sent', madeOf('plain', `{"task":"x","gatehouse_origin":"${'0'.repeat(32)}"}`)],
    ['whose signature the ingress has not checked', madeOf('plain', '{"task":"x"}', { verifiedScheme: null })],
    ['that ends before it is routed', madeOf('plain', '{"task":"x","metadata":{"event_type":"ignored"}}')],
  ])('%s is left to the gateway', (_what, make) => {
    expect(direct(make())).toBeNull();
  });

  it('is left to the gateway when more come than the ingress may parse', () => {
    const routes = new DirectRoutes({ ...settings, DIRECT_PARSES_PER_SECOND: 2 });
    const taken = Array.from({ length: 5 }, () => direct(of('plain', '{"task":"x"}'), routes) !== null);
    expect(taken.filter(Boolean).length).toBeLessThanOrEqual(4);
    expect(taken.slice(0, 2)).toContain(true);
  });

  /** Made in the test: Apps have no id before. */
  function madeOf(...given: Parameters<typeof of>): () => Receipt {
    return () => of(...given);
  }
});
