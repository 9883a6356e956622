import type { InboundRequest } from '#libs/contracts';
import { senderById } from '#libs/webhook-senders';
import { directParse } from './direct-parse.js';

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

function parsed(id: string | null, body: object | string, headers: Record<string, string> = json) {
  const sender = id === null ? undefined : senderById(id);
  const signature = sender ? { ...sender.verification, secret_fields: [] } : null;
  const app = {
    sender: id,
    reading: sender?.reading ?? null,
    signature,
    origin_marker: 'm',
  };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const url = 'https://hooks.example/api/v1/webhooks/***';
  const request = { method: 'POST', url, path: '/', query: {}, headers, body: text, body_encoding: 'utf8' };
  return directParse(app, request as InboundRequest);
}

describe('an event of a well-known sender', () => {
  it('has type, sender, key and text from where the sender puts them', () => {
    const shop = { ...json, 'x-shopify-topic': 'orders/create', 'x-shopify-event-id': 'e1' };
    expect(parsed('shopify', { id: 7 }, shop)).toMatchObject([
      { event_type: 'orders/create', sender: 'shopify', dedup_key: 'webhook:e1', message: '{"id":7}' },
    ]);
    const issue = { action: 'opened', issue: { title: 'It breaks' }, sender: { login: 'ada' } };
    expect(parsed('github', issue, { ...json, 'x-github-event': 'issues', 'x-github-delivery': 'd1' })).toMatchObject([
      { event_type: 'issues.opened', sender: 'ada', message: 'It breaks', metadata: { payload: issue } },
    ]);
  });

  it('is one of several in a request, each a message with its own key and payload', () => {
    const one = { eventId: 1, subscriptionId: 2, portalId: 3, subscriptionType: 'contact.creation' };
    const messages = parsed('hubspot', [one, { ...one, eventId: 9, subscriptionType: 'deal.deletion' }]);
    expect(messages).toMatchObject([
      {
        event_type: 'contact.creation',
        dedup_key: 'webhook:2:1',
        message: JSON.stringify(one),
        metadata: { payload: one },
      },
      { event_type: 'deal.deletion', dedup_key: 'webhook:2:9' },
    ]);
    const change = (id: string) => ({
      field: 'messages',
      value: { messages: [{ id, from: '1', text: { body: `hi ${id}` } }] },
    });
    const meta = { entry: [{ changes: [change('a'), change('b')] }, { changes: [change('c')] }] };
    expect(parsed('meta', meta).map(({ message, dedup_key: key }) => [message, key])).toEqual([
      ['hi a', 'webhook:a'],
      ['hi b', 'webhook:b'],
      ['hi c', 'webhook:c'],
    ]);
    expect(parsed('meta', { entry: [{ changes: [] }] })).toEqual([]);
  });

  it('without a key of its own has that of its request and its place in it', () => {
    const events = parsed(
      'alertmanager',
      { alerts: [{ status: 'firing' }, { status: 'resolved' }] },
      { ...json, 'webhook-id': 'w' },
    );
    expect(events.map(({ dedup_key: key }) => key)).toEqual(['webhook:w#0', 'webhook:w#1']);
  });

  it('may be in a form, and the JSON in one of its fields is read', () => {
    expect(parsed('twilio', 'MessageSid=SM1&From=%2B1&Body=Hello+there&SmsStatus=received', form)).toMatchObject([
      { event_type: 'message.received', sender: '+1', message: 'Hello there', dedup_key: 'webhook:SM1' },
    ]);
    const events = encodeURIComponent('[{"event":"open","_id":"e1","ts":7,"msg":{"email":"a@b.c"}}]');
    expect(parsed('mandrill', `mandrill_events=${events}`, form)).toMatchObject([
      { event_type: 'open', sender: 'a@b.c', dedup_key: 'webhook:open:e1:7' },
    ]);
  });

  it('does not show the secret that its sender puts into the body', () => {
    const body = { event: 'call.created', token: 'the secret of it', data: { id: 7 } };
    const [event] = parsed('aircall', body);
    expect(event?.event_type).toBe('call.created');
    expect(JSON.stringify(event)).not.toContain('the secret of it');
  });

  it('without a body has what its headers say', () => {
    const headers = { 'x-goog-resource-state': 'update', 'x-goog-channel-id': 'c', 'x-goog-message-number': '2' };
    expect(parsed('google-channel', '', headers)).toMatchObject([{ event_type: 'update', dedup_key: 'webhook:c:2' }]);
  });

  it('of which nothing can be read is one message of its kind', () => {
    expect(parsed('stripe', {})).toMatchObject([{ event_type: 'webhook_received', sender: 'stripe', message: '{}' }]);
    expect(parsed('hubspot', { not: 'a list' })).toMatchObject([{ event_type: 'webhook_received' }]);
    expect(() =>
      parsed(
        'hubspot',
        Array.from({ length: 1_001 }, () => ({})),
      ),
    ).toThrow(/1001 events/);
  });
});

it('a multipart form of a sender is read, without its files', () => {
  const parts = [
    'Content-Disposition: form-data; name="submissionID"\r\n\r\ns1',
    'content-disposition: form-data; name="pretty"\r\nContent-Type: text/plain\r\n\r\nName: Ada\r\nof two lines',
    'Content-Disposition: form-data; name="rawRequest"\r\n\r\n{"q1":{"first":"Ada"}}',
    'Content-Disposition: form-data; name="photo"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n\u0000--b',
  ];
  const body = `preamble\r\n${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
  for (const type of ['multipart/form-data; boundary=b', 'Multipart/Form-Data; charset=utf-8; boundary="b"']) {
    const [message] = parsed('jotform', body, { 'content-type': type });
    expect(message).toMatchObject({ event_type: 'form_response', message: 'Name: Ada\r\nof two lines' });
    expect(message?.metadata?.['payload']).toEqual({
      submissionID: 's1',
      pretty: 'Name: Ada\r\nof two lines',
      rawRequest: { q1: { first: 'Ada' } },
    });
  }
});

it('a form of an unknown sender is a message of its fields', () => {
  expect(parsed(null, 'a=1&b=x+y', form)).toMatchObject([
    { message: '{"a":"1","b":"x y"}', metadata: { payload: { a: '1', b: 'x y' } }, event_type: 'webhook_received' },
  ]);
});
