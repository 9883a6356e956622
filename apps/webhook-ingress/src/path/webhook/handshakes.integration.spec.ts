import { until } from '#libs/testing';
import type { DeclaredHandshake, DeclaredVerification } from '#libs/contracts';
import { senderById } from '#libs/webhook-senders';
import { createHmac } from 'node:crypto';
import { endpoint, tokenHash } from '../../testing/fake-gateway.js';
import { type IngressWorld, openIngress } from '../../testing/ingress-world.js';

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

const senders = ['asana', 'monday', 'graph', 'ringcentral', 'zoom', 'discord', 'trello', 'okta', 'dropbox'];
const signed: DeclaredVerification = { scheme: 'hmac', secret_fields: ['signing_secret'] };

let world: IngressWorld;
let url: string;

beforeAll(async () => {
  const fields = { verify_token: 'right', consumer_secret: 'the consumer', signing_secret: 'the signing' };
  const endpoints = [
    endpoint('meta', { handshake: meta }),
    endpoint('slack', { handshake: slack }),
    endpoint('signed', {
      handshake: slack,
      verification: { scheme: 'hmac', secret_fields: ['signing_secret'] },
    }),
    endpoint('hook', { handshake: { method: 'POST', match: { header: 'x-hook-secret' }, respond: 'adapter' } }),
    endpoint('crc', { handshake: crc }),
    endpoint('echo', { handshake: echo }),
    ...senders.map((id) => endpoint(id, { handshake: senderById(id)?.handshake ?? null, verification: signed })),
    endpoint('asks'),
    endpoint('waits', { adapter_handshake: true }),
    endpoint('rotated', {
      previous_token: { hash: tokenHash('before'), until: new Date(Date.now() + 3_600_000).toISOString() },
    }),
    endpoint('expired', { previous_token: { hash: tokenHash('too-old'), until: new Date(0).toISOString() } }),
  ];
  world = await openIngress({ endpoints, fields });
  await world.start();
  url = `${world.url}/api/v1/webhooks`;
});
afterAll(() => world.close());
beforeEach(() => {
  world.gateway.asked = [];
  world.gateway.handshake = () => null;
  world.gateway.refuses = () => null;
});

const get = (path: string): Promise<Response> => fetch(`${url}/${path}`);
const post = (token: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${url}/${token}`, { method: 'POST', body, headers });
const signature = (body: string): Record<string, string> => ({
  'x-signature-256': `sha256=${createHmac('sha256', 'the signing').update(body).digest('hex')}`,
});
const text = (body: string) => ({ status: 200, headers: { 'content-type': 'text/plain' }, body });
const withheld = () => {
  let release = (): void => undefined;
  const answer = new Promise<null>((resolve) => (release = () => resolve(null)));
  return { answer, release };
};
interface Accepted {
  received: boolean;
}
const json = async (answer: Promise<Response>): Promise<Accepted> => (await (await answer).json()) as Accepted;
const receipts = async (app: string): Promise<number> =>
  (await world.query('SELECT FROM ingress.receipt WHERE app_id = $1', [app])).length;

describe('a declared handshake is answered without asking the adapter:', () => {
  afterEach(() => expect(world.gateway.asked).toEqual([]));

  it('hub.challenge, against the verify token', async () => {
    const ask = (token: string): string => `meta?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1158201444`;
    const right = await get(ask('right'));
    expect([right.status, await right.text()]).toEqual([200, '1158201444']);
    expect((await get(ask('wrong'))).status).toBe(403);
    expect((await get('meta?hub.mode=subscribe&hub.challenge=1')).status).toBe(403);
  });

  it('by POST once its declared signature was checked, while a message of the same App is stored', async () => {
    const challenge = '3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P';
    const handshake = JSON.stringify({ type: 'url_verification', challenge });
    const unsigned = await post('signed', handshake);
    expect([unsigned.status, await unsigned.json()]).toMatchObject([401, { error: 'missing_signature' }]);
    const answer = await post('signed', handshake, signature(handshake));
    expect([answer.status, await answer.text()]).toEqual([200, challenge]);
    expect(await receipts('app_signed')).toBe(0);
    const message = JSON.stringify({ type: 'event_callback', challenge: 'no' });
    expect((await json(post('signed', message, signature(message)))).received).toBe(true);
    expect(await receipts('app_signed')).toBe(1);
  });

  it('a challenge-response check, as often as it comes', async () => {
    const expected = `sha256=${createHmac('sha256', 'the consumer').update('token').digest('base64')}`;
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

describe('an undeclared handshake', () => {
  it('goes through the adapter, query included', async () => {
    world.gateway.handshake = ({ query }) => ({ ...text(String(query['c'])), status: 201 });
    const answer = await get('asks?c=value');
    expect([answer.status, await answer.text()]).toEqual([201, 'value']);
    expect(world.gateway.asked[0]?.request).toMatchObject({
      method: 'GET',
      query: { c: 'value' },
      path: '/api/v1/webhooks/asks',
      url: 'https://gatehouse.example/api/v1/webhooks/asks?c=value',
    });
    world.gateway.handshake = () => null;
    expect((await get('asks?c=value')).status).toBe(405);
  });

  it('is answered by POST when it looks like one and the adapter accepts it, as often as it comes', async () => {
    world.gateway.handshake = ({ body }) => text(JSON.parse(body).challenge);
    for (const challenge of ['first', 'second']) {
      expect(await (await post('waits', JSON.stringify({ challenge }))).text()).toBe(challenge);
    }
    expect(world.gateway.asked).toMatchObject([
      { verified: false, declared: false },
      { verified: false, declared: false },
    ]);
    expect(await receipts('app_waits')).toBe(0);
  });

  it('is refused when the adapter does not accept its signature, and the refusal is kept', async () => {
    world.gateway.refuses = () => 'bad_signature';
    world.gateway.handshake = () => text('never');
    const answer = await post('waits', '{"challenge":"x"}');
    expect([answer.status, await answer.json()]).toMatchObject([401, { error: 'bad_signature' }]);
    const codes = await until('the refusal is kept', async () => {
      const rows = await world.query('SELECT code FROM ingress.refusal WHERE app_id = $1', ['app_waits']);
      return rows.length > 0 ? rows : null;
    });
    expect(codes).toEqual([{ code: 'bad_signature' }]);
  });

  it('is a message when the adapter says so, or when the manifest declares another handshake', async () => {
    expect((await json(post('waits', '{"challenge":"accepted","text":"hello"}'))).received).toBe(true);
    expect(world.gateway.asked).toHaveLength(1);
    expect((await json(post('slack', '{"challenge":"accepted","text":"hello"}'))).received).toBe(true);
    expect(world.gateway.asked).toHaveLength(1);
  });

  it('is never one with a long body, declared or not', async () => {
    const long = JSON.stringify({ type: 'url_verification', challenge: 'c', text: 'x'.repeat(5_000) });
    for (const token of ['waits', 'slack']) expect((await json(post(token, long))).received).toBe(true);
    expect(world.gateway.asked).toEqual([]);
  });

  it('is waited for until the adapter is late; a POST is then stored, and no message has to wait', async () => {
    const held = withheld();
    world.gateway.handshake = () => held.answer;
    expect((await json(post('waits', '{"text":"the challenge is on"}'))).received).toBe(true);
    expect(world.gateway.asked).toEqual([]);
    const [asked, posted] = await Promise.all([get('asks?c=1'), post('waits', '{"challenge":"x"}')]);
    held.release();
    expect([asked.status, posted.status]).toEqual([503, 200]);
    expect(world.gateway.asked).toHaveLength(2);
  });
});

describe('a declared POST handshake whose signature the adapter checks', () => {
  const challenge = JSON.stringify({ type: 'url_verification', challenge: 'value' });

  it('is answered from the manifest, once the adapter accepts it', async () => {
    expect(await (await post('slack', challenge)).text()).toBe('value');
    expect(world.gateway.asked).toMatchObject([{ verified: false, declared: true }]);
    world.gateway.refuses = () => 'the secret is wrong';
    const refused = await post('slack', challenge);
    expect([refused.status, await refused.json()]).toMatchObject([401, { error: 'refused' }]);
  });

  it('is recognised by a header, and answered by the adapter, where the manifest says so', async () => {
    world.gateway.handshake = ({ headers }) => ({
      status: 200,
      headers: { 'x-hook-secret': String(headers['x-hook-secret']) },
      body: '',
    });
    const answer = await post('hook', '', { 'x-hook-secret': 's3' });
    expect([answer.status, answer.headers.get('x-hook-secret')]).toEqual([200, 's3']);
    expect((await json(post('hook', '{"challenge":"no"}'))).received).toBe(true);
    expect(world.gateway.asked).toHaveLength(1);
  });
});

describe('a rotated token', () => {
  it('still works for its grace period, and answers 410 after it', async () => {
    expect((await json(post('before', 'hello'))).received).toBe(true);
    expect((await json(post('rotated', 'hello'))).received).toBe(true);
    expect(await receipts('app_rotated')).toBe(2);
    expect((await post('too-old', 'hello')).status).toBe(410);
  });
});

describe('the handshake of a well-known sender', () => {
  const answered = async (response: Promise<Response>, header?: string) => {
    const { status, headers, text } = await response.then(async (one) => ({
      status: one.status,
      headers: one.headers,
      text: await one.text(),
    }));
    return header === undefined ? [status, text] : [status, headers.get(header)];
  };

  it.each([
    ['asana', '', '{}', 'x-hook-secret'],
    ['ringcentral', '', '', 'validation-token'],
  ])('%s is answered by its header, before anything is signed', async (token, query, body, header) => {
    expect(await answered(post(`${token}${query}`, body, { [header]: 'abc' }), header)).toEqual([200, 'abc']);
  });

  it('of monday.com and Microsoft Graph is answered before anything is signed', async () => {
    expect(await answered(post('monday', '{"challenge":"abc"}'))).toEqual([200, '{"challenge":"abc"}']);
    expect(await answered(post('graph?validationToken=a%3Cb', ''))).toEqual([200, 'a<b']);
  });

  it('does not let an unsigned event in', async () => {
    for (const token of ['asana', 'monday', 'graph', 'ringcentral']) {
      expect(await answered(post(token, '{"event":{}}'))).toMatchObject([
        401,
        expect.stringContaining('missing_signature'),
      ]);
    }
  });

  it('Zoom has the token and its HMAC, if it is signed', async () => {
    const body = '{"event":"endpoint.url_validation","payload":{"plainToken":"abc"}}';
    const encryptedToken = createHmac('sha256', 'the signing').update('abc').digest('hex');
    expect((await answered(post('zoom', body)))[0]).toBe(401);
    expect(await answered(post('zoom', body, signature(body)))).toEqual([
      200,
      JSON.stringify({ plainToken: 'abc', encryptedToken }),
    ]);
  });

  it('Discord has no text and 204, if it is signed', async () => {
    expect(await answered(post('discord', '{"type":0}', signature('{"type":0}')))).toEqual([204, '']);
    expect((await answered(post('discord', '{"type":0}')))[0]).toBe(401);
  });

  it('by GET or HEAD is answered with its value, or with nothing', async () => {
    expect(await answered(fetch(`${url}/trello`, { method: 'HEAD' }))).toEqual([200, '']);
    expect(await answered(get('dropbox?challenge=abc'))).toEqual([200, 'abc']);
    const okta = fetch(`${url}/okta`, { headers: { 'x-okta-verification-challenge': 'abc' } });
    expect(await answered(okta)).toEqual([200, '{"verification":"abc"}']);
  });
});
