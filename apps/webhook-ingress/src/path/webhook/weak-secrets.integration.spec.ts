import type { DeclaredHandshake, DeclaredVerification } from '#libs/contracts';
import { until } from '#libs/testing';
import { createHmac } from 'node:crypto';
import { endpoint } from '../../testing/fake-gateway.js';
import { type IngressWorld, openIngress } from '../../testing/ingress-world.js';

const secret_fields = ['signing_secret', 'signing_secret_next'];
const hmac: DeclaredVerification = { scheme: 'hmac', secret_fields };
const standard: DeclaredVerification = { scheme: 'standard-webhooks', secret_fields };
const handshake = (change: Partial<DeclaredHandshake>): DeclaredHandshake => ({
  method: 'GET',
  match: { query: 'challenge' },
  respond: { query: 'challenge' },
  ...change,
});

let world: IngressWorld;

beforeAll(async () => {
  world = await openIngress();
  await world.start();
});
afterAll(() => world.close());

let count = 0;
/** An App of its own for each secret, since the ingress caches what it has read. */
async function app(fields: Record<string, string | string[]>, change: Parameters<typeof endpoint>[1]): Promise<string> {
  const token = `weak${++count}`;
  world.gateway.records.set(`cred_${token}`, fields);
  const credentials = [
    { key: 'SECRET', type: 'text' as const, maps_to: 'signing_secret', credential_id: `cred_${token}` },
  ];
  world.gateway.endpoints = [
    ...world.gateway.endpoints,
    endpoint(token, { kind: 'builtin', credentials, version: count, ...change }),
  ];
  return token;
}

const body = '{"task":"let me in"}';

async function post(token: string, headers: Record<string, string>) {
  const answer = await world.post(token, body, headers);
  const parsed = (await answer.json()) as { error?: string };
  return { status: answer.status, ...parsed };
}

const byHmac = (key: string) => ({
  'x-signature-256': `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
});

function byStandard(key: Buffer) {
  const time = String(Math.floor(Date.now() / 1_000));
  const digest = createHmac('sha256', key).update(`msg_1.${time}.${body}`).digest('base64');
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': time, 'webhook-signature': `v1,${digest}` };
}

describe('a secret that cannot protect', () => {
  it.each([
    ['***', ''],
    ['whsec_', ''],
    ['whsec_%%%%', ''],
    ['whsec_YWE=', 'aa'],
    [`whsec_${Buffer.alloc(24).toString('base64')}`, ''],
    ['not base64, yet long enough', 'not base64, yet long enough'],
  ])('accepts no post by Standard Webhooks: %j', async (secret, key) => {
    const token = await app({ signing_secret: secret }, { verification: standard });
    const lenient = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    for (const tried of [Buffer.from(key), lenient]) {
      expect(await post(token, byStandard(tried))).toMatchObject({ status: 503, error: 'weak_secret' });
    }
  });

  it.each(['a', 'secret', '***', '          ', '\u200b\u200b\u200b\u200b', 'ab\0\0\0\0\0\0\0\0\0'])(
    'accepts no post by HMAC: %j',
    async (secret) => {
      const token = await app({ signing_secret: secret }, { verification: hmac });
      for (const key of [secret, '']) {
        expect(await post(token, byHmac(key))).toMatchObject({ status: 503, error: 'weak_secret' });
      }
    },
  );

  it('is not used beside one that can, and neither is its signature accepted', async () => {
    const strong = 'a secret that both ends know';
    const token = await app({ signing_secret: ['***', strong], signing_secret_next: 'ab' }, { verification: hmac });
    expect(await post(token, byHmac('***'))).toMatchObject({ status: 401, error: 'bad_signature' });
    expect(await post(token, byHmac('ab'))).toMatchObject({ status: 401, error: 'bad_signature' });
    expect(await post(token, byHmac(strong))).toMatchObject({ status: 200 });
  });

  it('is a reason in the refusal log, and so is one that is missing', async () => {
    const weak = await app({ signing_secret: 'x' }, { verification: hmac });
    const missing = await app({ signing_secret: '' }, { verification: hmac });
    expect((await post(weak, byHmac('x'))).error).toBe('weak_secret');
    expect((await post(missing, byHmac(''))).error).toBe('not_configured');
    await until('both are logged', async () => {
      const rows = await world.query<{ code: string }>(
        'SELECT code FROM ingress.refusal WHERE app_id = ANY($1) ORDER BY code',
        [[`app_${weak}`, `app_${missing}`]],
      );
      return rows.map(({ code }) => code).join() === 'not_configured,weak_secret';
    });
  });

  it('answers no handshake: neither a blank verify token nor a challenge that it would sign', async () => {
    const verify_token = { query: 'token', field: 'verify_token' };
    for (const blank of ['', '   ']) {
      const token = await app({ signing_secret: 's', verify_token: blank }, { handshake: handshake({ verify_token }) });
      const answer = await fetch(
        `${world.url}/api/v1/webhooks/${token}?challenge=hello&token=${encodeURIComponent(blank)}`,
      );
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('wrong_verify_token')]);
    }
    const respond = { query: 'challenge', hmac: { field: 'signing_secret' } };
    const token = await app({ signing_secret: 'short' }, { handshake: handshake({ respond }) });
    const answer = await fetch(`${world.url}/api/v1/webhooks/${token}?challenge=hello`);
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('weak_secret')]);
  });
});
