import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { EventWebhook, EventWebhookHeader } from '@sendgrid/eventwebhook';
import { pino } from 'pino';
import { createAdapterServer, type JsonObject } from '#libs/adapter-sdk';
import { createSendgridAdapter } from './sendgrid.adapter.js';

/** The vector that the tests of SendGrid's own libraries share. */
const PUBLISHED = {
  key: 'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==',
  signature: 'MEUCIGHQVtGj+Y3LkG9fLcxf3qfI10QysgDWmMOVmxG0u6ZUAiEAyBiXDWzM+uOe5W0JuG+luQAbPIqHh89M15TluLtEZtM=',
  timestamp: '1600112502',
  body: '[{"email":"hello@world.com","event":"dropped","reason":"Bounced Address","sg_event_id":"ZHJvcC0xMDk5NDkxOS1MUnpYbF9OSFN0T0doUTRrb2ZTbV9BLTA","sg_message_id":"LRzXl_NHStOGhQ4kofSm_A.filterdrecv-p3mdw1-756b745b58-kmzbl-18-5F5FC76C-9.0","smtp-id":"<LRzXl_NHStOGhQ4kofSm_A@ismtpd0039p1iad1.sendgrid.net>","timestamp":1600112492}]\r\n',
};

const app = createAdapterServer(
  [createSendgridAdapter({ fetch: () => Promise.reject(new Error('verifying makes no call')), timeoutMs: 1 })],
  { version: 'test', logger: pino({ level: 'silent' }) },
);
const theirs = new EventWebhook();
const keyPair = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return { privateKey, shown: publicKey.export({ type: 'spki', format: 'der' }).toString('base64') };
};
const { privateKey, shown } = keyPair();
const NOW = 1_795_228_637;
const signed = (body: string, by: KeyObject = privateKey, timestamp = String(NOW)) => ({
  [EventWebhookHeader.SIGNATURE()]: sign('sha256', Buffer.from(timestamp + body), by).toString('base64'),
  [EventWebhookHeader.TIMESTAMP()]: timestamp,
});

async function verify(
  headers: JsonObject,
  body: string,
  { credentials = { event_public_key: shown }, at = NOW }: { credentials?: JsonObject; at?: number } = {},
) {
  const request = { headers, body };
  const answer = await app.inject({
    method: 'POST',
    url: '/sendgrid/verify-webhook',
    payload: { credentials, request, received_at: new Date(at * 1000).toISOString() },
  });
  expect(answer.statusCode).toBe(200);
  const { ok, scheme, error } = answer.json<JsonObject>();
  return ok === true ? scheme : error;
}

describe('the signature of a webhook', () => {
  it('matches the published vector, as the verifier of SendGrid does', async () => {
    const { key, signature, timestamp, body } = PUBLISHED;
    const headers = { [EventWebhookHeader.SIGNATURE()]: signature, [EventWebhookHeader.TIMESTAMP()]: timestamp };
    const options = { credentials: { event_public_key: key }, at: Number(timestamp) };
    expect(theirs.verifySignature(theirs.convertPublicKeyToECDSA(key), body, signature, timestamp)).toBe(true);
    expect(await verify(headers, body, options)).toBe('sendgrid-ecdsa');
    // The line end belongs to the body: without it neither accepts it.
    expect(theirs.verifySignature(theirs.convertPublicKeyToECDSA(key), body.trim(), signature, timestamp)).toBe(false);
    expect(await verify(headers, body.trim(), options)).toBe('bad_signature');
  });

  it('gets the same verdict from both, right or wrong, over many signatures and keys', async () => {
    const other = keyPair();
    for (let index = 0; index < 12; index++) {
      const body = `[{"event":"delivered","n":${index},"text":"grün"}]`;
      const by = index % 2 === 0 ? privateKey : other.privateKey;
      const headers = signed(body, by);
      const checked = theirs.verifySignature(
        theirs.convertPublicKeyToECDSA(shown),
        body,
        headers[EventWebhookHeader.SIGNATURE()] ?? '',
        String(NOW),
      );
      expect(checked).toBe(index % 2 === 0);
      expect(await verify(headers, body)).toBe(checked ? 'sendgrid-ecdsa' : 'bad_signature');
    }
  });

  it('is accepted by both keys of a rotation, also with lower-case headers', async () => {
    const next = keyPair();
    const credentials = { event_public_key: [next.shown, shown] };
    expect(await verify(signed('[]'), '[]', { credentials })).toBe('sendgrid-ecdsa');
    expect(await verify(signed('[]', next.privateKey), '[]', { credentials })).toBe('sendgrid-ecdsa');
    const lower = Object.fromEntries(Object.entries(signed('[]')).map(([name, value]) => [name.toLowerCase(), value]));
    expect(await verify(lower, '[]')).toBe('sendgrid-ecdsa');
  });

  it('is refused with one byte changed, outside its time window, missing, or without a key to verify with', async () => {
    const headers = signed('[1]');
    expect(await verify(headers, '[2]')).toBe('bad_signature');
    expect(await verify({ ...headers, [EventWebhookHeader.TIMESTAMP()]: String(NOW + 1) }, '[1]')).toBe(
      'bad_signature',
    );
    expect(await verify({ ...headers, [EventWebhookHeader.SIGNATURE()]: 'AAAA' }, '[1]')).toBe('bad_signature');
    expect(await verify(headers, '[1]', { at: NOW + 301 })).toBe('stale_timestamp');
    expect(await verify(headers, '[1]', { at: NOW - 301 })).toBe('stale_timestamp');
    expect(await verify(signed('[1]', privateKey, 'soon'), '[1]')).toBe('stale_timestamp');
    expect(await verify({}, '[1]')).toBe('missing_signature');
    for (const event_public_key of [undefined, '', 'no key', 'AAAA']) {
      expect(await verify(headers, '[1]', { credentials: { event_public_key } })).toBe('not_configured');
    }
  });
});

describe('a mail of Inbound Parse', () => {
  const form = { 'content-type': 'multipart/form-data; boundary=xYzZY' };

  it('is verified by the key of its own policy, not by that of events', async () => {
    const headers = { ...form, ...signed('--xYzZY--') };
    expect(await verify(headers, '--xYzZY--', { credentials: { inbound_public_key: shown } })).toBe('sendgrid-ecdsa');
    expect(await verify(headers, '--xYzZY--', { credentials: { event_public_key: shown } })).toBe('not_configured');
  });

  it('is refused without a signature unless unsigned mail is allowed; events never pass unsigned', async () => {
    const credentials = { inbound_public_key: shown };
    expect(await verify(form, '--xYzZY--', { credentials })).toBe('missing_signature');
    expect(await verify(form, '--xYzZY--', { credentials: {} })).toBe('not_configured');
    const lax = { ...credentials, event_public_key: shown, inbound_unsigned: 'allow' };
    expect(await verify(form, '--xYzZY--', { credentials: lax })).toBe('unsigned-inbound-parse');
    expect(await verify({ ...form, ...signed('x', keyPair().privateKey) }, 'x', { credentials: lax })).toBe(
      'bad_signature',
    );
    expect(await verify({ 'content-type': 'application/json' }, '[]', { credentials: lax })).toBe('missing_signature');
  });
});
