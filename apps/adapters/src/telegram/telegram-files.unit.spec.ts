import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { startProviderServer, type ProviderServer, type Reply } from '../testing/provider-server.js';
import { createTelegramAdapter } from './telegram.adapter.js';

const TOKEN = '110201543:canary-AAHdqTcvCH1vGWJxfSeofSAs0K5';

let telegram: ProviderServer;
let adapter: AdapterHost;
/** The answers of getFile and of the URL that it names. */
let place: Reply;
let content: Reply;
beforeAll(async () => {
  telegram = await startProviderServer(({ url }) => (url.startsWith('/file/') ? content : place));
  adapter = await hostAdapter((http) => createTelegramAdapter({ ...http, apiUrl: telegram.url }));
});
beforeEach(() => {
  telegram.seen.length = 0;
  place = { body: { ok: true, result: { file_id: 'BQAC', file_path: 'documents/file_1.csv' } } };
  content = { body: 'x;y' };
});
afterAll(async () => {
  expect(adapter.logs()).not.toContain('canary');
  await adapter.close();
  await telegram.close();
});

async function fetchFile(path = 'BQAC-1_a'): Promise<{ status: number; text: string }> {
  const body = JSON.stringify({ credentials: { token: TOKEN }, resource_path: '', file_path: path });
  const answer = await fetch(`${adapter.url}/sources/fetch-file`, { method: 'POST', body });
  return { status: answer.status, text: await answer.text() };
}
const errorOf = async (path?: string): Promise<string> => JSON.parse((await fetchFile(path)).text).error;
const refusal = (status: number, description: string): Reply => ({
  status,
  body: { ok: false, error_code: status, description },
});

describe('the files of an outgoing message', () => {
  const attachments = ['one', 'two'].map((text) => ({
    name: `${text}.txt`,
    content_type: 'text/plain',
    content_base64: Buffer.from(`content ${text}`).toString('base64'),
  }));
  const deliver = (over: object = {}, text = 'see these') =>
    adapter.call('deliver', {
      credentials: { token: TOKEN },
      channel_address: '55',
      message: { text, format: 'plain', thread_id: '42', attachments },
      idempotency_key: 'key-1',
      ...over,
    });
  const methods = () => telegram.seen.map(({ url }) => url.split('/').at(-1));
  const files = () =>
    telegram.seen
      .filter(({ url }) => url.endsWith('sendDocument'))
      .map(({ text, headers }) => [text, headers] as const);

  beforeEach(() => {
    let id = 0;
    telegram.answer = () => ({ body: { ok: true, result: { message_id: (id += 1), chat: { id: 55 } } } });
  });
  afterEach(() => {
    telegram.answer = ({ url }) => (url.startsWith('/file/') ? content : place);
  });

  it('follow the text, one per part', async () => {
    const sent = await deliver();
    expect(sent).toMatchObject({ ok: true, message_id: '1', parts: [{}, {}, {}] });
    expect(methods()).toEqual(['sendMessage', 'sendDocument', 'sendDocument']);
    const [[body, headers]] = files() as [ReturnType<typeof files>[number]];
    const form = await new Response(body, { headers: { 'content-type': headers['content-type'] ?? '' } }).formData();
    expect([form.get('chat_id'), form.get('message_thread_id')]).toEqual(['55', '42']);
    const file = form.get('document') as File;
    expect([file.name, file.type, await file.text()]).toEqual(['one.txt', 'text/plain', 'content one']);
  });

  it('are sent alone where there is no text, and from the part that failed', async () => {
    expect(await deliver({}, ' ')).toMatchObject({ ok: true });
    expect(methods()).toEqual(['sendDocument', 'sendDocument']);
    telegram.seen.length = 0;
    telegram.answer = ({ url }) =>
      url.endsWith('sendMessage') ? { body: { ok: true, result: { message_id: 1 } } } : refusal(502, 'Bad Gateway');
    expect(await deliver()).toMatchObject({ ok: false, error: 'provider_unavailable', delivered_parts: 1 });
    telegram.answer = () => ({ body: { ok: true, result: { message_id: 2 } } });
    telegram.seen.length = 0;
    expect(await deliver({ from_part: 2 })).toMatchObject({ ok: true });
    expect(files().map(([body]) => body.includes('content two'))).toEqual([true]);
  });
});

describe('a file of a message', () => {
  it('is fetched by its fetch_ref', async () => {
    expect(await fetchFile()).toEqual({ status: 200, text: 'x;y' });
    expect(telegram.seen.map(({ url }) => url)).toEqual([
      `/bot${TOKEN}/getFile`,
      `/file/bot${TOKEN}/documents/file_1.csv`,
    ]);
    expect(telegram.seen[0]?.fields).toEqual({ file_id: 'BQAC-1_a' });
  });

  it.each<[string, () => void]>([
    ['too_large', () => (place = refusal(400, 'Bad Request: file is too big'))],
    ['too_large', () => (content = { body: 'x'.repeat(21 * 1024 * 1024) })],
    ['not_found', () => (place = refusal(400, 'Bad Request: wrong file_id or the file is temporarily unavailable'))],
    ['not_found', () => (place = { body: { ok: true, result: { file_path: '../../etc/passwd' } } })],
    ['not_found', () => (place = { body: { ok: true, result: {} } })],
    ['auth_failed', () => (place = refusal(401, 'Unauthorized'))],
    ['rate_limited', () => (place = refusal(429, 'Too Many Requests'))],
    ['provider_unavailable', () => (place = refusal(502, 'Bad Gateway'))],
    ['provider_unavailable', () => (content = { status: 302, headers: { location: 'http://127.0.0.1:1/' } })],
  ])('that cannot be fetched is %s', async (error, given) => {
    given();
    expect(await errorOf()).toBe(error);
  });

  it('is requested only by a valid id', async () => {
    expect(await errorOf('documents/file_1.csv')).toBe('not_found');
    expect(telegram.seen).toEqual([]);
  });
});
