import type { DeclaredVerification } from '#libs/contracts';
import { createHmac } from 'node:crypto';
import { endpoint } from '../../testing/fake-gateway.js';
import { type IngressWorld, openIngress } from '../../testing/ingress-world.js';

const secret = Buffer.from('a long random text').toString('base64');
const secret_fields = ['signing_secret'];
const timed: DeclaredVerification = { scheme: 'hmac', timestamp_header: 'x-timestamp', secret_fields };
const like = 'v0:{timestamp}:{body}';

let world: IngressWorld;

beforeAll(async () => {
  const builtin = (token: string, verification: DeclaredVerification) =>
    endpoint(token, { kind: 'builtin', verification });
  const endpoints = [
    builtin('timed', timed),
    builtin('slack', { ...timed, signed_text: like, prefix: 'v0=', tolerance_seconds: 3_600 }),
    builtin('standard', { scheme: 'standard-webhooks', secret_fields }),
  ];
  world = await openIngress({ endpoints, fields: { signing_secret: secret } });
  await world.start();
});
afterAll(() => world.close());

const now = (offSeconds = 0): string => String(Math.floor(Date.now() / 1_000) + offSeconds);
const signed = (text: string): string => createHmac('sha256', secret).update(text).digest('hex');
const withTime = (time: string, body: string) => ({
  'x-timestamp': time,
  'x-signature-256': `sha256=${signed(`${time}.${body}`)}`,
});

async function post(token: string, body: string, headers: Record<string, string>) {
  const answer = await world.post(token, body, headers);
  const parsed = (await answer.json()) as { error?: string; duplicate?: true; id?: string };
  return { status: answer.status, ...parsed };
}

describe('an HMAC with the time of signing', () => {
  it('is accepted while it is recent, and refused without its time or with another one', async () => {
    const [time, body] = [now(), '{"task":"a"}'];
    expect((await post('timed', body, withTime(time, body))).status).toBe(200);
    const { 'x-timestamp': _time, ...untimed } = withTime(time, body);
    expect(await post('timed', body, untimed)).toMatchObject({ status: 401, error: 'missing_timestamp' });
    const moved = { ...withTime(time, body), 'x-timestamp': String(Number(time) - 1) };
    expect(await post('timed', body, moved)).toMatchObject({ status: 401, error: 'bad_signature' });
    const bodyAlone = { 'x-timestamp': time, 'x-signature-256': `sha256=${signed(body)}` };
    expect(await post('timed', body, bodyAlone)).toMatchObject({ status: 401, error: 'bad_signature' });
  });

  it.each([-400, 400])('is refused when it is %i s off', async (seconds) => {
    const body = '{"task":"b"}';
    expect(await post('timed', body, withTime(now(seconds), body))).toMatchObject({
      status: 401,
      error: 'stale_timestamp',
    });
    expect((await post('timed', body, withTime('tomorrow', body))).error).toBe('stale_timestamp');
  });

  it('covers the text that the App defines, within the time that it defines', async () => {
    const [time, body] = [now(-400), '{"task":"c"}'];
    const headers = { 'x-timestamp': time, 'x-signature-256': `v0=${signed(`v0:${time}:${body}`)}` };
    expect((await post('slack', body, headers)).status).toBe(200);
  });

  it('is one delivery however often it comes, whatever else is sent with it', async () => {
    const [time, body] = [now(), '{"task":"once"}'];
    const headers = withTime(time, body);
    const { id } = await post('timed', body, { ...headers, 'idempotency-key': 'mine' });
    const shouted = {
      ...headers,
      'x-signature-256': headers['x-signature-256'].replace(/=.*/, (hex) => hex.toUpperCase()),
    };
    for (const replay of [headers, { ...headers, 'idempotency-key': 'other' }, shouted]) {
      expect(await post('timed', body, replay)).toMatchObject({ status: 200, duplicate: true, id });
    }
    // Nothing may be a duplicate of the replay, which was not stored.
    const later = '{"task":"later"}';
    const honest = await post('timed', later, { ...withTime(now(), later), 'idempotency-key': 'other' });
    expect([honest.status, honest.duplicate]).toEqual([200, undefined]);
    // The sender's own retry is signed at another time.
    const resent = { ...withTime(String(Number(time) - 5), body), 'idempotency-key': 'mine' };
    expect(await post('timed', body, resent)).toMatchObject({ status: 200, duplicate: true, id });
  });
});

it('a replay of Standard Webhooks is also a duplicate under another Idempotency-Key', async () => {
  const [time, body] = [now(), '{"task":"d"}'];
  const key = Buffer.from(secret, 'base64');
  const signature = createHmac('sha256', key).update(`msg_1.${time}.${body}`).digest('base64');
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` };
  const { id } = await post('standard', body, headers);
  const replay = await post('standard', body, { ...headers, 'idempotency-key': 'new' });
  expect(replay).toMatchObject({ status: 200, duplicate: true, id });
});
