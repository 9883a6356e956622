import { type DeclaredVerification, probeHeader } from '#libs/contracts';
import { everyEntry } from '#libs/journal';
import { ServiceTokens } from '#libs/service-kit';
import { testServiceKey } from '#libs/testing';
import { createHmac } from 'node:crypto';
import { endpoint } from '../../testing/fake-gateway.js';
import { type IngressWorld, openIngress } from '../../testing/ingress-world.js';

const hmac: DeclaredVerification = { scheme: 'hmac', secret_fields: ['signing_secret'] };

let world: IngressWorld;

beforeAll(async () => {
  const endpoints = [
    endpoint('signed', { kind: 'builtin', verification: hmac }),
    endpoint('paused', { kind: 'builtin', verification: 'none', state: 'paused' }),
  ];
  world = await openIngress({ endpoints, fields: { signing_secret: 'the s3cret' } });
  await world.start();
});
afterAll(() => world.close());

const body = '{"task":"verify"}';
const signature = { 'x-signature-256': `sha256=${createHmac('sha256', 'the s3cret').update(body).digest('hex')}` };
const mark = (subject = 'service:adapter-gateway', projectId = 'prj_1'): Promise<string> =>
  new ServiceTokens(testServiceKey, 'adapter-gateway').mint('webhook-ingress', {
    subject,
    organizationId: 'org_1',
    projectId,
    scopes: [],
  });

async function post(token: string, headers: Record<string, string>) {
  const answer = await world.post(token, body, headers);
  return { status: answer.status, ...((await answer.json()) as { id?: string; error?: string }) };
}
const endings = (id: string | undefined) =>
  world.query(`SELECT outcome, reason FROM ${everyEntry} e WHERE receipt_id = $1 AND terminal`, [id]);
const kept = async (id: string | undefined) =>
  (await world.query('SELECT outcome, reason, headers FROM ingress.receipt WHERE id = $1', [id]))[0];
const refusals = async (): Promise<number> => (await world.query('SELECT FROM ingress.refusal')).length;

describe('a request that the gateway marks as its own', () => {
  it('is answered like any other, ends as verification at once, and leaves the mark nowhere', async () => {
    const first = await post('signed', { ...signature, 'idempotency-key': 'k', [probeHeader]: await mark() });
    expect(first.status).toBe(200);
    expect(await endings(first.id)).toEqual([{ outcome: 'verification', reason: 'sent_by_verify' }]);
    const { headers, ...receipt } = (await kept(first.id)) ?? {};
    expect(receipt).toEqual({ outcome: 'accepted', reason: 'verification' });
    expect(headers).not.toContain(probeHeader);
    const own = { organizationId: 'org_1', projectId: 'prj_1' };
    const woken = await world.internal('POST', `receipts/${first.id}/enqueue`, undefined, own);
    expect(woken).toMatchObject({ status: 409, body: { code: 'verification_request' } });
    // The key is still free for the delivery that it belongs to.
    const real = await post('signed', { ...signature, 'idempotency-key': 'k' });
    expect(real.id).not.toBe(first.id);
    expect(await kept(real.id)).toMatchObject({ outcome: 'accepted', reason: null });
  });

  it('is refused like any other, and is not counted as a refusal of a sender', async () => {
    const before = await refusals();
    expect(await post('signed', { [probeHeader]: await mark() })).toMatchObject({
      status: 401,
      error: 'missing_signature',
    });
    expect(await refusals()).toBe(before);
  });

  it('shows that a paused App can be reached', async () => {
    const { id } = await post('paused', { [probeHeader]: await mark() });
    expect(await kept(id)).toMatchObject({ outcome: 'accepted', reason: 'verification' });
  });

  it.each([
    ['nonsense', () => Promise.resolve('nonsense')],
    ['the token of another service', () => mark('service:router')],
    ['the token of another project', () => mark('service:adapter-gateway', 'prj_2')],
  ])('is a message like any other with %s as its mark', async (_what, made) => {
    const { id } = await post('signed', { ...signature, [probeHeader]: await made() });
    expect(await kept(id)).toMatchObject({ outcome: 'accepted', reason: null });
    expect(await endings(id)).toEqual([]);
  });
});
