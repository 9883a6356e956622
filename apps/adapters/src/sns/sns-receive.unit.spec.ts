import { sign } from 'node:crypto';
import { TEST_CERTIFICATE, TEST_KEY } from '#libs/testing';
import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { startProviderServer, type ProviderServer } from '../testing/provider-server.js';
import { createSnsAdapter } from './sns.adapter.js';
import { signedText } from './verify-signature.js';

const host = 'sns.eu-west-1.amazonaws.com';
const topic_arn = 'arn:aws:sns:eu-west-1:123456789012:builds';
const certificate = `https://${host}/SimpleNotificationService-0.pem`;
const confirmation = `https://${host}/?Action=ConfirmSubscription&TopicArn=${topic_arn}&Token=t1`;

let aws: ProviderServer;
let adapter: AdapterHost;
/** Addresses that the adapter asked for. */
let asked: string[];

beforeEach(async () => {
  asked = [];
  aws = await startProviderServer(({ url }) => ({ body: url.endsWith('.pem') ? TEST_CERTIFICATE : '<ok/>' }));
  adapter = await hostAdapter(({ fetch, timeoutMs }) =>
    createSnsAdapter({
      timeoutMs,
      fetch: (address, request) => {
        const { href, pathname, search } = new URL(address);
        asked.push(href);
        return fetch(`${aws.url}${pathname}${search}`, request);
      },
    }),
  );
});
afterEach(async () => {
  await adapter.close();
  await aws.close();
});

type Fields = Record<string, string>;

function signed(fields: Fields, version = '2'): Fields {
  const type = fields.Type as 'Notification';
  const text = Buffer.from(signedText({ type, fields: new Map(Object.entries(fields)) }));
  const signature = sign(version === '1' ? 'sha1' : 'sha256', text, TEST_KEY).toString('base64');
  return { SigningCertURL: certificate, SignatureVersion: version, Signature: signature, ...fields };
}

const notification = (more: Fields = {}): Fields => ({
  Type: 'Notification',
  MessageId: 'm1',
  TopicArn: topic_arn,
  Message: 'Der Build ist gr\u00fcn',
  Timestamp: '2026-11-24T10:00:00.000Z',
  ...more,
});
const subscription = (more: Fields = {}): Fields =>
  notification({ Type: 'SubscriptionConfirmation', Token: 't1', SubscribeURL: confirmation, ...more });

function call(route: string, body: unknown, headers: Fields = {}, credentials: object = { topic_arn }) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const sent = { 'content-type': 'text/plain; charset=UTF-8', ...headers };
  return adapter.call(route, { credentials, request: { method: 'POST', headers: sent, body: text } });
}

describe('a message of SNS', () => {
  it.each([
    ['1', notification()],
    ['2', notification()],
    ['2', notification({ Subject: 'Build' })],
    ['2', subscription()],
    ['1', subscription({ Type: 'UnsubscribeConfirmation' })],
  ])('with signature version %s is accepted: %j', async (version, fields) => {
    const scheme = version === '1' ? 'sns-sha1' : 'sns-sha256';
    expect(await call('verify-webhook', signed(fields, version))).toEqual({ ok: true, scheme });
  });

  it('needs its certificate once', async () => {
    const all = await Promise.all(
      [1, 2, 3].map((id) => call('verify-webhook', signed(notification({ MessageId: `${id}` })))),
    );
    await call('verify-webhook', signed(notification()));
    expect(all).toEqual(all.map(() => ({ ok: true, scheme: 'sns-sha256' })));
    expect(asked).toEqual([certificate]);
  });

  it.each([
    ['another text', { ...signed(notification()), Message: 'x' }, 'bad_signature'],
    ['a subject that is not signed', { ...signed(notification()), Subject: 'x' }, 'bad_signature'],
    ['a signature that is none', { ...signed(notification()), Signature: '!!' }, 'bad_signature'],
    ['no signature', { ...signed(notification()), Signature: '' }, 'missing_signature'],
    ['another version', signed(notification(), '3'), 'unsupported'],
    ['another topic', signed(notification({ TopicArn: `${topic_arn}2` })), 'unsupported'],
    ['a type that is none', { ...signed(notification()), Type: 'constructor' }, 'unsupported'],
    ['text that is no JSON', 'hello', 'unsupported'],
    ['a list', [], 'unsupported'],
  ])('is refused with %s', async (_what, body, error) => {
    expect(await call('verify-webhook', body)).toMatchObject({ ok: false, error });
  });

  it.each([
    'http://sns.eu-west-1.amazonaws.com/a.pem',
    'https://sns.us-east-1.amazonaws.com/a.pem',
    'https://sns.eu-west-1.amazonaws.com.evil.example/a.pem',
    'https://sns.eu-west-1.amazonaws.com@evil.example/a.pem',
    'https://user:pass@sns.eu-west-1.amazonaws.com/a.pem',
    'https://sns.eu-west-1.amazonaws.com:8443/a.pem',
    'https://evil.s3.eu-west-1.amazonaws.com/a.pem',
    'https://evil.example/sns.eu-west-1.amazonaws.com/a.pem',
    'javascript:alert(1)',
    '',
  ])('is refused, and nothing is fetched, where its certificate is at %s', async (SigningCertURL) => {
    const body = { ...signed(notification()), SigningCertURL };
    expect(await call('verify-webhook', body)).toMatchObject({ ok: false, error: 'bad_signature' });
    expect(asked).toEqual([]);
  });

  it('is refused with a certificate that is none, and read again later', async () => {
    aws.answer = () => ({ body: 'not a certificate' });
    expect(await call('verify-webhook', signed(notification()))).toMatchObject({ error: 'bad_signature' });
    aws.answer = () => ({ body: TEST_CERTIFICATE });
    expect(await call('verify-webhook', signed(notification()))).toMatchObject({ ok: true });
  });

  it('is refused with a certificate that is not yet valid', async () => {
    const request = { method: 'POST', headers: {}, body: JSON.stringify(signed(notification())) };
    const early = { credentials: { topic_arn }, received_at: '2020-01-01T00:00:00Z', request };
    expect(await adapter.call('verify-webhook', early)).toMatchObject({ error: 'bad_signature' });
  });

  it('is neither right nor wrong while its certificate cannot be fetched', async () => {
    aws.answer = () => ({ status: 503 });
    await expect(call('verify-webhook', signed(notification()))).rejects.toThrow('answered 503');
    aws.answer = () => ({ body: TEST_CERTIFICATE });
    expect(await call('verify-webhook', signed(notification()))).toMatchObject({ ok: true });
  });

  it('is refused by an App without a topic, and as raw delivery', async () => {
    for (const credentials of [{}, { topic_arn: '' }, { topic_arn: 'builds' }]) {
      const answer = await call('verify-webhook', signed(notification()), {}, credentials);
      expect(answer).toMatchObject({ ok: false, error: 'not_configured' });
    }
    const raw = await call('verify-webhook', 'hello', { 'x-amz-sns-rawdelivery': 'true' });
    expect(raw).toMatchObject({ error: 'missing_signature', message: expect.stringContaining('raw message delivery') });
  });
});

describe('a notification', () => {
  it('is a message that nobody can answer', async () => {
    expect(await call('parse-inbound', signed(notification({ Subject: 'Build' })))).toEqual({
      event_type: 'notification',
      sender: topic_arn,
      message: 'Der Build ist gr\u00fcn',
      is_bot: false,
      dedup_key: 'sns:m1',
      metadata: {
        notification: true,
        channel_address: null,
        raw_type: 'Notification',
        timestamp: '2026-11-24T10:00:00.000Z',
        message_id: 'm1',
        subject: 'Build',
      },
    });
  });

  it('whose text is JSON has that as its payload too, and attributes as they are', async () => {
    const Message = '{"Records":[{"id":12345678901234567890}]}';
    const MessageAttributes = { kind: { Type: 'String', Value: 'a' }, odd: 7 };
    const answer = await call('parse-inbound', { ...notification({ Message }), MessageAttributes });
    expect(answer).toMatchObject({
      message: Message,
      metadata: { payload: { Records: [{ id: '12345678901234567890' }] }, attributes: { kind: 'a' } },
    });
  });

  it.each(['"a"', '7', 'null', '{', '['.repeat(60_000) + ']'.repeat(60_000)])(
    'is only text where its text is no object: %.10s',
    async (Message) => {
      const answer = await call('parse-inbound', notification({ Message }));
      expect(answer).toMatchObject({ message: Message });
      expect(answer.metadata).not.toHaveProperty('payload');
    },
  );
});

describe('a subscription', () => {
  it('is confirmed at the address of its topic', async () => {
    const answer = await call('parse-inbound', signed(subscription()));
    expect(answer).toMatchObject({ event_type: 'ignored', metadata: { ignored_reason: 'subscription_confirmed' } });
    expect(asked).toEqual([confirmation]);
  });

  it.each([
    'https://evil.example/?Action=ConfirmSubscription',
    `http://${host}/?Action=ConfirmSubscription&TopicArn=${topic_arn}`,
    `https://${host}/?Action=Unsubscribe&TopicArn=${topic_arn}`,
    `https://${host}/?Action=ConfirmSubscription&TopicArn=${topic_arn}2`,
    'javascript:alert(1)',
    '',
  ])('is not confirmed anywhere else: %s', async (SubscribeURL) => {
    const answer = await call('parse-inbound', signed(subscription({ SubscribeURL })));
    expect(answer).toMatchObject({ metadata: { ignored_reason: 'subscribe_url_not_of_the_topic' } });
    expect(asked).toEqual([]);
  });

  it('of another topic is not confirmed', async () => {
    const answer = await call('parse-inbound', signed(subscription({ TopicArn: `${topic_arn}2` })));
    expect(answer).toMatchObject({ metadata: { ignored_reason: 'not_of_the_topic' } });
    expect(asked).toEqual([]);
  });

  it('is tried again while SNS does not answer, and not after a refusal', async () => {
    aws.answer = () => ({ status: 503 });
    await expect(call('parse-inbound', signed(subscription()))).rejects.toThrow('answered 503');
    aws.answer = () => ({ status: 302, headers: { location: 'https://evil.example/' } });
    const answer = await call('parse-inbound', signed(subscription()));
    expect(answer).toMatchObject({ metadata: { ignored_reason: 'subscription_not_confirmed' } });
    expect(asked).toHaveLength(2);
  });

  it('that ended asks for nothing', async () => {
    const answer = await call('parse-inbound', signed(subscription({ Type: 'UnsubscribeConfirmation' })));
    expect(answer).toMatchObject({ metadata: { ignored_reason: 'unsubscribed' } });
    expect(asked).toEqual([]);
  });
});

it.each([
  [topic_arn, true],
  [`${topic_arn}, arn:aws-cn:sns:cn-north-1:123456789012:a.fifo`, true],
  ['builds', false],
  [`${topic_arn}, builds`, false],
  ['arn:aws:sqs:eu-west-1:123456789012:builds', false],
  ['arn:aws:sns:evil.example/?:123456789012:builds', false],
  [undefined, false],
])('the topic ARN %s is verified: %s', async (given, ok) => {
  expect(await adapter.call('verify', { credentials: { topic_arn: given } })).toMatchObject({ ok });
});
