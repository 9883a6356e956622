import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { startProviderServer, type ProviderServer, type Reply } from '../testing/provider-server.js';
import { createTelegramAdapter } from './telegram.adapter.js';

const TOKEN = '110201543:canary-AAHdqTcvCH1vGWJxfSeofSAs0K5';

let telegram: ProviderServer;
let adapter: AdapterHost;
/** What getFile and the address that it names answer. */
let place: Reply;
let content: Reply;
beforeAll(async () => {
  telegram = await startProviderServer(({ url }) => (url.startsWith('/file/') ? content : place));
  adapter = await hostAdapter((http) => createTelegramAdapter({ ...http, apiUrl: telegram.url }), 2_000);
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

describe('a file of a message', () => {
  it('is had by its fetch_ref', async () => {
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
  ])('that cannot be had is %s', async (error, given) => {
    given();
    expect(await errorOf()).toBe(error);
  });

  it('is asked for by an id that is one', async () => {
    expect(await errorOf('documents/file_1.csv')).toBe('not_found');
    expect(telegram.seen).toEqual([]);
  });
});
