import type { WebhookRefusal } from '../../webhook-verification.js';
import { parseJson } from '../../json-value.js';
import { answered, expectThat, need, NotApplicable, Skipped } from '../check.js';
import type { Kit } from '../kit.js';
import { bodyOf, webhookCall, type WebhookCall } from '../webhook-calls.js';
import type { WebhookSigner } from '../webhook-signing.js';
import type { Point } from './point.js';

/** Outside the window of 300 s in either direction. */
const OUTSIDE_MS = 600_000;
const FAIL_CLOSED =
  'Verify the exact bytes in constant time, answer HTTP 200 with ok false and the code, and fail closed.';

export const webhookVerification: Point = {
  number: 3,
  title: '/verify-webhook accepts what the provider signed, and nothing else',
  async run(kit) {
    const check = (name: string, title: string, run: (signer: WebhookSigner) => Promise<void>): Promise<void> =>
      kit.check(`3.${name}`, title, FAIL_CLOSED, async () => {
        kit.needsCapability('receive');
        await run(need(kit.signer, 'webhooks.signing'));
      });

    await check('good', 'accepts a rightly signed webhook, its header names in any case', async () => {
      const call = await signed(kit);
      await accepts(kit, call);
      await accepts(
        kit,
        withHeaders(call, (headers) => mapNames(headers, (name) => name.toUpperCase())),
      );
    });
    await check('rotation', 'accepts either of two secrets while one replaces the other', async (signer) => {
      const call = await signed(kit);
      const current = kit.credentials[signer.credential];
      const other = kit.fixtures.credentials?.other?.[signer.credential];
      if (typeof current !== 'string' || typeof other !== 'string' || other === current) {
        throw new Skipped(`the fixtures' credentials.other have no ${signer.credential} of their own`);
      }
      for (const both of [
        [current, other],
        [other, current],
      ]) {
        await accepts(kit, { ...call, credentials: { ...kit.credentials, [signer.credential]: both } });
      }
    });
    await check('body', 'refuses a body with one byte changed', async (signer) => {
      if (!signer.coversBody) throw new NotApplicable('the signature does not cover the body');
      const body = bodyOf(sample(kit));
      const changed = Buffer.from(body);
      const middle = Math.floor(body.length / 2);
      changed[middle] = (changed[middle] ?? 0) ^ 1;
      await refuses(kit, await signed(kit, { body, sentBody: changed }), 'bad_signature');
    });
    await check('reserialised', 'refuses the same JSON written differently', async (signer) => {
      if (!signer.coversBody) throw new NotApplicable('the signature does not cover the body');
      const parsed = parseJson(bodyOf(sample(kit)).toString('utf8'));
      if (parsed === undefined) throw new NotApplicable('the body is no JSON');
      const body = Buffer.from(JSON.stringify(parsed, null, 2));
      await refuses(kit, await signed(kit, { body, sentBody: Buffer.from(JSON.stringify(parsed)) }), 'bad_signature');
    });
    await check('signature', 'refuses a changed signature', async (signer) => {
      const call = await signed(kit);
      const name = signer.header.toLowerCase();
      await refuses(
        kit,
        withHeaders(call, (headers) => ({ ...headers, [name]: flip(headers[name] ?? '') })),
        'bad_signature',
      );
    });
    await check('missing', 'refuses a missing signature', async (signer) => {
      const without = withHeaders(await signed(kit), (headers) =>
        Object.fromEntries(Object.entries(headers).filter(([name]) => name !== signer.header.toLowerCase())),
      );
      await refuses(kit, without, 'missing_signature');
    });
    await check('timestamp', 'refuses a changed timestamp', async (signer) => {
      const name = timestampOf(signer);
      const call = withHeaders(await signed(kit), (headers) => ({
        ...headers,
        [name]: String(Number(headers[name]) + 1),
      }));
      await refuses(kit, call, 'bad_signature');
    });
    for (const [name, offset] of [
      ['stale', -OUTSIDE_MS],
      ['future', OUTSIDE_MS],
    ] as const) {
      await check(name, `refuses a ${name} timestamp, measured from received_at`, async (signer) => {
        timestampOf(signer);
        const receivedAt = new Date();
        const call = await signed(kit, { receivedAt, signedAt: new Date(receivedAt.getTime() + offset) });
        await refuses(kit, call, 'stale_timestamp');
      });
    }
    await check('unset', 'refuses everything while its secret is not set', async (signer) => {
      const call = await signed(kit);
      const { [signer.credential]: _unset, ...rest } = kit.credentials;
      await refuses(kit, { ...call, credentials: rest }, 'not_configured');
    });
  },
};

function sample(kit: Kit) {
  return need(kit.fixtures.webhooks?.samples?.[0], 'webhooks.samples');
}

async function signed(kit: Kit, changes: Parameters<typeof webhookCall>[2] = {}): Promise<WebhookCall> {
  need(kit.fixtures.credentials?.good, 'credentials.good');
  return webhookCall(kit, sample(kit), changes);
}

function timestampOf(signer: WebhookSigner): string {
  if (signer.timestampHeader === undefined) throw new NotApplicable('the signature covers no timestamp');
  return signer.timestampHeader.toLowerCase();
}

async function accepts(kit: Kit, call: WebhookCall): Promise<void> {
  const answer = await kit.adapter.post('/verify-webhook', call);
  expectThat(answered(answer).ok === true, answer, 'ok true');
}

async function refuses(kit: Kit, call: WebhookCall, code: WebhookRefusal): Promise<void> {
  const answer = await kit.adapter.post('/verify-webhook', call);
  const { ok, error } = answered(answer);
  expectThat(ok === false, answer, 'ok false');
  expectThat(error === code, answer, `error "${code}"`, error);
}

type Headers = Record<string, string>;

function withHeaders(call: WebhookCall, change: (headers: Headers) => Headers): WebhookCall {
  return { ...call, request: { ...call.request, headers: change(call.request.headers) } };
}

function mapNames(headers: Headers, change: (name: string) => string): Headers {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [change(name), value]));
}

/** The text with one character in its later half replaced by another that is valid in both hex and base64. */
function flip(signature: string): string {
  const at = Math.floor(signature.length * 0.75);
  return signature.slice(0, at) + (signature[at] === 'a' ? 'b' : 'a') + signature.slice(at + 1);
}
