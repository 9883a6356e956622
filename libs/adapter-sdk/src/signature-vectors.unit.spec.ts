import { verify as octokitVerify } from '@octokit/webhooks-methods';
import { Webhook } from 'standardwebhooks';
import { signHmac, signStandardWebhooks, verifyHmac, verifyStandardWebhooks } from './index.js';

const SECRET = 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = Buffer.alloc(24, 7).toString('base64');
const BODY = '{"test": 2432232314}';
const NOW = new Date(1614265330 * 1000);
const SIGNED = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': '1614265330',
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const check = (changes: Partial<Parameters<typeof verifyStandardWebhooks>[0]> = {}) =>
  verifyStandardWebhooks({ secret: SECRET, headers: SIGNED, body: BODY, now: NOW, ...changes });
const refusal = (error: string) => expect.objectContaining({ ok: false, error });

describe('Standard Webhooks', () => {
  it('reproduces and accepts the published vector, with and without the whsec_ prefix', () => {
    for (const secret of [SECRET, `whsec_${SECRET}`]) {
      const signed = signStandardWebhooks({ secret, id: SIGNED['webhook-id'], timestamp: NOW, body: BODY });
      expect(signed).toEqual(SIGNED);
      expect(check({ secret })).toEqual({ ok: true, scheme: 'standard-webhooks' });
    }
  });

  it('agrees with the reference library in both directions', () => {
    const reference = new Webhook(SECRET);
    const timestamp = new Date();
    const ours = signStandardWebhooks({ secret: [SECRET, OTHER], id: 'msg_1', timestamp, body: BODY });
    expect(reference.verify(BODY, ours)).toEqual({ test: 2432232314 });
    const headers = { ...ours, 'webhook-signature': reference.sign('msg_1', timestamp, BODY) };
    expect(verifyStandardWebhooks({ secret: SECRET, headers, body: BODY }).ok).toBe(true);
  });

  it('refuses a body, id, timestamp or signature with one character changed, and a re-serialised body', () => {
    expect(check({ body: '{"test": 2432232315}' })).toEqual(refusal('bad_signature'));
    expect(check({ body: JSON.stringify(JSON.parse(BODY)) })).toEqual(refusal('bad_signature'));
    expect(check({ headers: { ...SIGNED, 'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJeK' } })).toEqual(
      refusal('bad_signature'),
    );
    expect(check({ headers: { ...SIGNED, 'webhook-timestamp': '1614265331' } })).toEqual(refusal('bad_signature'));
    const flipped = SIGNED['webhook-signature'].replace('g0', 'g1');
    expect(check({ headers: { ...SIGNED, 'webhook-signature': flipped } })).toEqual(refusal('bad_signature'));
  });

  it('accepts a timestamp 300 s off in either direction, and none that is further off or not a number', () => {
    const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
    expect(check({ now: at(300) }).ok).toBe(true);
    expect(check({ now: at(-300) }).ok).toBe(true);
    expect(check({ now: at(301) })).toEqual(refusal('stale_timestamp'));
    expect(check({ now: at(-301) })).toEqual(refusal('stale_timestamp'));
    for (const text of ['1614265330abc', '1e9', '-1', ' 1614265330']) {
      expect(check({ headers: { ...SIGNED, 'webhook-timestamp': text } })).toEqual(refusal('stale_timestamp'));
    }
  });

  it('names a missing header and an unset secret, and finds headers in any case and as arrays', () => {
    for (const name of Object.keys(SIGNED)) {
      expect(check({ headers: { ...SIGNED, [name]: undefined } })).toEqual(refusal('missing_signature'));
    }
    for (const secret of ['', []]) expect(check({ secret })).toEqual(refusal('not_configured'));
    const shouted = Object.fromEntries(Object.entries(SIGNED).map(([name, value]) => [name.toUpperCase(), [value]]));
    expect(check({ headers: shouted }).ok).toBe(true);
  });

  it('accepts either key during a rotation, and a signature list with foreign entries', () => {
    expect(check({ secret: [OTHER, SECRET] }).ok).toBe(true);
    expect(check({ secret: [OTHER] })).toEqual(refusal('bad_signature'));
    const list = `v1a,xyz v1,AAAA ${SIGNED['webhook-signature']}`;
    expect(check({ headers: { ...SIGNED, 'webhook-signature': list } }).ok).toBe(true);
  });
});

describe('HMAC over the body', () => {
  const secret = "It's a Secret to Everybody";
  const hex = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

  it('reproduces the published GitHub vector, as the provider library does', async () => {
    expect(signHmac(secret, 'Hello, World!')).toBe(hex);
    expect(verifyHmac({ secret, payload: 'Hello, World!', signature: hex })).toBe(true);
    expect(await octokitVerify(secret, 'Hello, World!', `sha256=${signHmac(secret, 'Hello, World!')}`)).toBe(true);
  });

  it('reproduces the published Slack vector', () => {
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
    expect(signHmac('8f742231b10e8888abcd99yyyzzz85a5', `v0:1531420618:${body}`)).toBe(
      'a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    );
  });

  it('refuses truncated, padded and foreign text without throwing, and accepts either of two secrets', () => {
    for (const signature of ['', hex.slice(2), `${hex}00`, `${hex}zz`, 'ü'.repeat(64)]) {
      expect(verifyHmac({ secret, payload: 'Hello, World!', signature })).toBe(false);
    }
    expect(verifyHmac({ secret: ['new', secret], payload: 'Hello, World!', signature: hex })).toBe(true);
    expect(verifyHmac({ secret: [], payload: 'Hello, World!', signature: hex })).toBe(false);
  });
});
