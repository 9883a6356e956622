import { createService } from '#libs/service-kit';
import { testDatabase, type TestDatabase } from '#libs/testing';
import type { DeclaredHandshake } from '#libs/contracts';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHmac } from 'node:crypto';
import pg from 'pg';
import { ingressService } from '../service.js';
import { endpoint, type GatewayStub, gatewayStub, tokenHash } from '../testing/gateway-stub.js';
import { ingressSettings } from '../testing/ingress-settings.js';

const meta: DeclaredHandshake = {
  method: 'GET',
  match: { query: 'hub.mode', equals: 'subscribe' },
  respond: { query: 'hub.challenge' },
  verify_token: { query: 'hub.verify_token', field: 'verify_token' },
};
const slack: DeclaredHandshake = {
  method: 'POST',
  match: { pointer: '/type', equals: 'url_verification' },
  respond: { pointer: '/challenge' },
};
const crc: DeclaredHandshake = {
  method: 'GET',
  match: { query: 'crc_token' },
  respond: { query: 'crc_token', hmac: { field: 'consumer_secret', prefix: 'sha256=' }, as: 'response_token' },
};
const echo: DeclaredHandshake = { method: 'GET', match: { query: 'challenge' }, respond: { query: 'challenge' } };

let database: TestDatabase;
let gateway: GatewayStub;
let service: NestFastifyApplication;
let url: string;

beforeAll(async () => {
  database = await testDatabase();
  gateway = await gatewayStub();
  gateway.fields = { verify_token: 'right', consumer_secret: 'consumer' };
  gateway.endpoints = [
    endpoint('meta', { handshake: meta }),
    endpoint('slack', { handshake: slack }),
    endpoint('crc', { handshake: crc }),
    endpoint('echo', { handshake: echo }),
    endpoint('asks'),
    endpoint('waits', { adapter_handshake: true }),
    endpoint('rotated', {
      previous_token: { hash: tokenHash('before'), until: new Date(Date.now() + 60_000).toISOString() },
    }),
    endpoint('expired', { previous_token: { hash: tokenHash('too-old'), until: new Date(0).toISOString() } }),
  ];
  service = await createService(ingressService(ingressSettings(database.url, gateway.url)));
  await service.listen(0, '127.0.0.1');
  url = `${await service.getUrl()}/api/v1/webhooks`;
});
afterAll(async () => {
  await service.close();
  await gateway.close();
  await database.drop();
});
beforeEach(() => {
  gateway.asked = [];
  gateway.handshake = () => null;
});

const get = (path: string): Promise<Response> => fetch(`${url}/${path}`);
const post = (token: string, body: unknown): Promise<Response> =>
  fetch(`${url}/${token}`, { method: 'POST', body: JSON.stringify(body) });
interface Accepted {
  received: boolean;
}
const json = async (answer: Promise<Response>): Promise<Accepted> => (await (await answer).json()) as Accepted;
const receipts = async (app: string): Promise<number> => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query('SELECT count(*)::int AS n FROM ingress.receipt WHERE app_id = $1', [app]);
  await client.end();
  return rows[0].n;
};

describe('a declared handshake is answered without asking the adapter:', () => {
  afterEach(() => expect(gateway.asked).toEqual([]));

  it('hub.challenge, against the verify token', async () => {
    const ask = (token: string): string => `meta?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1158201444`;
    const right = await get(ask('right'));
    expect([right.status, await right.text()]).toEqual([200, '1158201444']);
    expect((await get(ask('wrong'))).status).toBe(403);
    expect((await get('meta?hub.mode=subscribe&hub.challenge=1')).status).toBe(403);
  });

  it('url_verification, while a message of the same App is stored', async () => {
    const answer = await post('slack', {
      type: 'url_verification',
      challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P',
    });
    expect([answer.status, await answer.text()]).toEqual([200, '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P']);
    expect(await receipts('app_slack')).toBe(0);
    const message = await post('slack', { type: 'event_callback', challenge: 'no' });
    expect(((await message.json()) as Accepted).received).toBe(true);
    expect(await receipts('app_slack')).toBe(1);
  });

  it('a challenge-response check, as often as it comes', async () => {
    const expected = `sha256=${createHmac('sha256', 'consumer').update('token').digest('base64')}`;
    for (const _time of [1, 2]) {
      const answer = await get('crc?crc_token=token');
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(await answer.json()).toEqual({ response_token: expected });
    }
  });

  it('an echo, which no browser takes for a page, of a bounded length', async () => {
    const answer = await get(`echo?challenge=${encodeURIComponent('<script>alert(1)</script>')}`);
    expect(await answer.text()).toBe('<script>alert(1)</script>');
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('a handshake that is not declared', () => {
  it('goes through the adapter, query and all', async () => {
    gateway.handshake = ({ query }) => ({ status: 201, headers: { 'content-type': 'text/plain' }, body: query['c'] });
    const answer = await get('asks?c=value');
    expect([answer.status, await answer.text()]).toEqual([201, 'value']);
    expect(gateway.asked).toMatchObject([{ method: 'GET', query: { c: 'value' }, path: '/api/v1/webhooks/***' }]);
    expect(gateway.asked[0]?.url).toBe('https://gatehouse.example/api/v1/webhooks/***?c=value');
    gateway.handshake = () => null;
    expect((await get('asks?c=value')).status).toBe(405);
  });

  it('by POST is asked for only while the App waits for one, and a message is stored all the same', async () => {
    gateway.handshake = ({ body }) =>
      body.includes('verify me') ? { status: 200, headers: { 'content-type': 'text/plain' }, body: 'ok' } : null;
    expect(await (await post('waits', 'verify me')).text()).toBe('ok');
    expect((await json(post('waits', 'hello'))).received).toBe(true);
    expect((await json(post('asks', 'verify me'))).received).toBe(true);
    expect(gateway.asked).toHaveLength(2);
  });

  it('is waited for 2.5 s at most; a POST is stored then', async () => {
    let release = (): void => undefined;
    const held = new Promise<null>((resolve) => (release = () => resolve(null)));
    gateway.handshake = () => held;
    const startMs = Date.now();
    const [asked, posted] = await Promise.all([get('asks?c=1'), post('waits', 'hello')]);
    const tookMs = Date.now() - startMs;
    release();
    expect([asked.status, posted.status]).toEqual([503, 200]);
    expect(tookMs).toBeGreaterThanOrEqual(2_400);
    expect(tookMs).toBeLessThan(4_000);
  });
});

describe('a rotated token', () => {
  it('works on for its grace period, and answers 410 after it', async () => {
    expect((await json(post('before', 'hello'))).received).toBe(true);
    expect((await json(post('rotated', 'hello'))).received).toBe(true);
    expect(await receipts('app_rotated')).toBe(2);
    expect((await post('too-old', 'hello')).status).toBe(410);
  });
});
