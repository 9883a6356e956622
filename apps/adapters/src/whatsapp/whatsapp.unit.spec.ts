import type { JsonObject } from '#libs/adapter-sdk';
import { type AdapterHost, hostAdapter } from '../testing/adapter-host.js';
import { type ProviderServer, startProviderServer } from '../testing/provider-server.js';
import { createWhatsappAdapter } from './whatsapp.adapter.js';

const number = '106540352242922';
const credentials = { token: 'token', phone_number_id: number, signing_secret: 'an-app-secret-of-sixteen' };

let meta: ProviderServer;
let adapter: AdapterHost;

beforeAll(async () => {
  meta = await startProviderServer();
  adapter = await hostAdapter((http) => createWhatsappAdapter({ ...http, apiUrl: meta.url }));
});
afterAll(async () => {
  await adapter.close();
  await meta.close();
});
beforeEach(() => {
  meta.seen.length = 0;
  meta.answer = ({ url }) =>
    url.endsWith('/media') ? { body: { id: '77' } } : { body: { messages: [{ id: `wamid.${meta.seen.length}` }] } };
});

const deliver = (message: object): Promise<JsonObject> =>
  adapter.call('deliver', { credentials, channel_address: '+16505551234', message, idempotency_key: 'dlv_1' });
const sent = (): JsonObject[] => meta.seen.filter(({ url }) => url.endsWith('/messages')).map(({ fields }) => fields);
const refusing = (code: number, status = 400) => {
  meta.answer = () => ({ status, body: { error: { code, message: 'private' } } });
};

describe('a message to WhatsApp', () => {
  it('goes to the number, quotes what it answers, and carries the key that its statuses bring back', async () => {
    expect(await deliver({ text: 'It is.', reply_context: { message_id: 'wamid.9' } })).toMatchObject({ ok: true });
    expect(sent()).toEqual([
      {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: '16505551234',
        type: 'text',
        text: { body: 'It is.', preview_url: false },
        context: { message_id: 'wamid.9' },
        biz_opaque_callback_data: 'dlv_1',
      },
    ]);
    expect(meta.seen[0]).toMatchObject({ url: `/${number}/messages`, headers: { authorization: 'Bearer token' } });
  });

  it('makes a call to everybody inert in its text, and leaves code as it is', async () => {
    await deliver({ text: 'Ask @all, or run `mail @all`.', format: 'markdown' });
    expect(sent()[0]?.text).toMatchObject({ body: 'Ask @\u200ball, or run `mail @all`.' });
  });

  it('shows up to three short choices as buttons, and others as a list, below at most 1,024 characters', async () => {
    const choices = (count: number, label = 'Choice') =>
      Array.from({ length: count }, (_, index) => ({ id: `c${index}`, label: `${label} ${index}`, value: 'v' }));
    await deliver({ text: `${'word '.repeat(300)}end`, actions: choices(3) });
    const [first, last] = sent();
    expect([first?.type, last?.type]).toEqual(['text', 'interactive']);
    expect(last?.interactive).toMatchObject({
      type: 'button',
      action: { buttons: [{ reply: { id: 'c0:v' } }, {}, {}] },
    });
    meta.seen.length = 0;
    await deliver({ text: 'Which?', actions: choices(5, 'A choice with rather many letters') });
    expect(sent()[0]?.interactive).toMatchObject({
      type: 'list',
      body: { text: 'Which?' },
      action: {
        sections: [{ rows: [{ id: 'c0:v', title: 'A choice with rather ma…' }, {}, {}, {}, {}] }],
      },
    });
  });

  it('has files as what WhatsApp can show, and reacts', async () => {
    const file = (name: string, type: string) => ({ name, content_type: type, content_base64: 'YQ==' });
    const attachments = [file('a.png', 'image/png'), file('a.pdf', 'application/pdf')];
    expect(await deliver({ text: '', attachments })).toMatchObject({ ok: true, parts: [{}, {}] });
    expect(sent()).toMatchObject([
      { type: 'image', image: { id: '77' } },
      { type: 'document', document: { id: '77', filename: 'a.pdf' } },
    ]);
    meta.seen.length = 0;
    expect(await deliver({ text: '', reaction_to: 'wamid.1', reaction: '👍' })).toMatchObject({
      message_id: 'wamid.1',
    });
    expect(sent()).toMatchObject([{ type: 'reaction', reaction: { message_id: 'wamid.1', emoji: '👍' } }]);
  });

  it('says in words that the window of 24 hours is over; a template goes out as it is', async () => {
    refusing(131047);
    expect(await deliver({ text: 'Late.' })).toMatchObject({
      ok: false,
      error: 'permission_denied',
      error_detail: { message: expect.stringContaining('24 hours'), provider_code: '131047', retryable: false },
    });
    meta.answer = () => ({ body: { messages: [{ id: 'wamid.t' }] } });
    const template = { name: 'order_ready', language: { code: 'en' } };
    expect(await deliver({ text: JSON.stringify({ template }), format: 'native' })).toMatchObject({ ok: true });
    expect(sent().at(-1)).toMatchObject({ type: 'template', template });
    refusing(132001, 404);
    const missing = await deliver({ text: JSON.stringify({ template }), format: 'native' });
    expect(missing).toMatchObject({ error: 'invalid_format', error_detail: { provider_code: '132001' } });
    expect(JSON.stringify(missing)).not.toContain('private');
  });

  it('is refused where it can never arrive', async () => {
    const nowhere = await adapter.call('deliver', { credentials, channel_address: 'jane', message: { text: 'x' } });
    expect(nowhere).toMatchObject({ error: 'invalid_request' });
    const unset = { ...credentials, phone_number_id: '+1 650' };
    const call = { credentials: unset, channel_address: '16505551234', message: { text: 'x' } };
    expect(await adapter.call('deliver', call)).toMatchObject({ error: 'auth_failed' });
    expect(meta.seen).toEqual([]);
  });
});

describe('that an answer is written', () => {
  const indicate = (state: string, message_id?: string): Promise<JsonObject> =>
    adapter.call('indicate', { credentials, channel_address: '+4915112345678', state, message_id });

  it('is shown to the message that is answered, which counts as read, whichever process has heard it', async () => {
    expect(await indicate('working', 'wamid.last')).toEqual({ ok: true });
    expect(sent()).toEqual([
      {
        messaging_product: 'whatsapp',
        status: 'read',
        message_id: 'wamid.last',
        typing_indicator: { type: 'text' },
      },
    ]);
  });

  it('is not shown without a message, and ends by itself', async () => {
    expect(await indicate('working')).toEqual({ ok: true });
    expect(await indicate('done', 'wamid.last')).toEqual({ ok: true });
    expect(sent()).toEqual([]);
  });
});

describe('a webhook of WhatsApp', () => {
  const parse = (value: object, more: object[] = []): Promise<JsonObject> => {
    const change = (content: object) => ({ field: 'messages', value: content });
    const entry = [{ id: '1', changes: [value, ...more].map(change) }];
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry });
    return adapter.call('parse-inbound', { credentials, request: { headers: {}, body } });
  };
  const metadata = { phone_number_id: number };
  const message = (id: string, of = metadata) => ({
    metadata: of,
    messages: [{ id, from: '1', type: 'text', text: { body: id } }],
  });

  it('becomes a message for each of its messages and statuses, without those of other numbers', async () => {
    const statuses = ['sent', 'delivered', 'read'].map((status) => ({ id: 'wamid.0', status, recipient_id: '1' }));
    const elsewhere = message('wamid.3', { phone_number_id: '999' });
    const batch = await parse(message('wamid.1'), [elsewhere, { metadata, statuses }]);
    expect(batch.event_type).toBe('batch');
    const { messages } = batch.metadata as { messages: JsonObject[] };
    expect(messages.map(({ dedup_key: key }) => key)).toEqual([
      'whatsapp:wamid.1',
      ...['sent', 'delivered', 'read'].map((status) => `whatsapp:wamid.0:${status}`),
    ]);
    expect(await parse(elsewhere)).toMatchObject({ event_type: 'ignored' });
  });

  it('leads to the bytes of a file, with the token only at an address of Meta', async () => {
    const bytes = 'the picture';
    meta.answer = ({ url }) => (url === '/file' ? { body: bytes } : { body: { url: `${meta.url}/file` } });
    const fetchFile = (): Promise<Response> =>
      fetch(`${adapter.url}/sources/fetch-file`, {
        method: 'POST',
        body: JSON.stringify({ credentials, resource_path: '', file_path: '2754859441498128' }),
      });
    expect(await (await fetchFile()).text()).toBe(bytes);
    expect(meta.seen.at(-1)?.headers.authorization).toBe('Bearer token');
    meta.answer = () => ({ body: { url: 'https://evil.example/file' } });
    expect(await (await fetchFile()).json()).toMatchObject({ ok: false, error: 'provider_unavailable' });
  });
});
