import type { ProviderHttp } from '#libs/adapter-sdk';
import { generateKeyPairSync } from 'node:crypto';
import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { startProviderServer, type ProviderServer, type Reply } from '../testing/provider-server.js';
import { createGithubAdapter } from './github.adapter.js';
import { HASTY_MS } from '../testing/patience.js';

const TOKEN = 'canary-7714-github-token';
const call = { credentials: { token: TOKEN }, channel_address: 'octo/docs#12', message: { text: 'hello' } };

let github: ProviderServer;
let adapter: AdapterHost;
let hasty: AdapterHost;
beforeAll(async () => {
  github = await startProviderServer();
  const make = (http: ProviderHttp) => createGithubAdapter({ ...http, apiUrl: github.url });
  [adapter, hasty] = await Promise.all([hostAdapter(make), hostAdapter(make, HASTY_MS)]);
});
beforeEach(() => {
  github.seen.length = 0;
});
afterAll(async () => {
  expect(adapter.logs() + hasty.logs()).not.toContain(TOKEN);
  await Promise.all([adapter.close(), hasty.close()]);
  await github.close();
});

const SECONDARY = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
const TOO_LONG = {
  message: 'Validation Failed',
  errors: [
    {
      resource: 'IssueComment',
      code: 'unprocessable',
      field: 'data',
      message: 'Body is too long (maximum is 65536 characters)',
    },
  ],
};

describe('an answer of GitHub becomes a code', () => {
  it.each<[string, Reply, string, object]>([
    ['bad credentials', { status: 401, body: { message: 'Bad credentials' } }, 'auth_failed', { retryable: false }],
    [
      'no permission',
      { status: 403, body: { message: 'Resource not accessible by integration' } },
      'permission_denied',
      {},
    ],
    [
      'the secondary limit',
      { status: 403, headers: { 'retry-after': '61' }, body: { message: SECONDARY } },
      'rate_limited',
      { retry_after: 61, retryable: true },
    ],
    [
      'the secondary limit without a time',
      { status: 403, body: { message: SECONDARY } },
      'rate_limited',
      { retry_after: 60 },
    ],
    [
      'the primary limit',
      {
        status: 403,
        headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' },
        body: { message: 'API rate limit exceeded' },
      },
      'rate_limited',
      { retry_after: 1 },
    ],
    ['429', { status: 429, headers: { 'retry-after': '5' } }, 'rate_limited', { retry_after: 5 }],
    ['not found', { status: 404, body: { message: 'Not Found' } }, 'not_found', {}],
    ['a deleted issue', { status: 410, body: { message: 'This issue was deleted' } }, 'not_found', {}],
    ['a renamed repository', { status: 301, headers: { location: 'https://api.github.com/x' } }, 'address_moved', {}],
    ['too long', { status: 422, body: TOO_LONG }, 'too_large', {}],
    ['another 422', { status: 422, body: { message: 'Validation Failed' } }, 'invalid_request', {}],
    [
      'a locked issue',
      { status: 403, body: { message: 'Unable to create comment because issue is locked.' } },
      'permission_denied',
      {},
    ],
    ['an outage', { status: 502, body: '<html>Unicorn!</html>' }, 'provider_unavailable', { retryable: true }],
  ])('%s', async (_name, reply, error, detail) => {
    github.answer = () => reply;
    const answer = await adapter.call('deliver', call);
    expect(answer).toMatchObject({ ok: false, error, delivered_parts: 0, error_detail: detail });
    expect(github.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('no answer in time may mean a posted comment, and is not to be retried blindly', async () => {
    github.answer = () => 'silence';
    expect(await hasty.call('deliver', call)).toMatchObject({ error: 'timeout', error_detail: { retryable: false } });
  });

  it('an address or a thread that could lead elsewhere is refused without a request', async () => {
    for (const channel_address of ['octo/..#1', 'octo/docs', '../x/y#1', 'octo/docs#1/../2', 'octo/docs#0']) {
      expect(await adapter.call('deliver', { ...call, channel_address })).toMatchObject({ error: 'invalid_request' });
    }
    const elsewhere = { text: 'hello', thread_id: 'octo/other#1:review:5' };
    expect(await adapter.call('deliver', { ...call, message: elsewhere })).toMatchObject({ error: 'invalid_request' });
    const attached = { text: 'see this', attachments: [{ id: 'f' }] };
    expect(await adapter.call('deliver', { ...call, message: attached })).toMatchObject({ error: 'unsupported' });
    expect(github.seen).toHaveLength(0);
  });
});

describe('a comment', () => {
  it('answers in the thread of a review', async () => {
    github.answer = () => ({ status: 201, body: { id: 5, node_id: 'RC_5' } });
    const thread_id = 'octo/docs#12:review:80';
    const answer = await adapter.call('deliver', { ...call, message: { text: 'hello', thread_id } });
    expect(answer).toMatchObject({ ok: true, message_id: 'RC_5', thread_id });
    expect(github.seen[0]).toMatchObject({ method: 'POST', url: '/repos/octo/docs/pulls/12/comments/80/replies' });
    expect(github.seen[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it('notifies nobody, and shows plain text unchanged', async () => {
    github.answer = () => ({ status: 201, body: { node_id: 'IC' } });
    await adapter.call('deliver', { ...call, message: { text: 'cc @jane `@x`' } });
    await adapter.call('deliver', { ...call, message: { text: '*not bold* #1', format: 'plain' } });
    const bodies = github.seen.map(({ fields }) => String(fields.body).split('\n\n')[0]);
    expect(bodies).toEqual(['cc @\u200bjane `@x`', String.raw`\*not bold\* \#1`]);
  });

  it('is not reported as unsent by a look-up that GitHub did not answer', async () => {
    github.answer = () => ({ status: 503 });
    await expect(adapter.call('deliver/lookup', { ...call, idempotency_key: 'k' })).rejects.toThrow('503');
  });

  it('counts as arrived only with its last part', async () => {
    const posted: object[] = [];
    github.answer = ({ method, url, fields }) => {
      if (method === 'GET') return { body: url.includes('/issues/') ? posted : [] };
      posted.push({ node_id: `IC_${posted.length}`, body: fields.body });
      return posted.length === 2 ? { status: 502 } : { status: 201, body: posted.at(-1) };
    };
    const text = `${'a'.repeat(64_000)}\n\n${'b'.repeat(64_000)}`;
    const long = { ...call, message: { text }, idempotency_key: 'long' };
    expect(await adapter.call('deliver', long)).toMatchObject({ error: 'provider_unavailable', delivered_parts: 1 });
    posted.pop();
    expect(await adapter.call('deliver/lookup', long)).toEqual({ found: false });
    expect(await adapter.call('deliver', { ...long, from_part: 1 })).toMatchObject({ ok: false });
    expect(await adapter.call('deliver/lookup', long)).toEqual({ found: true, message_id: 'IC_1' });
  });
});

describe('the token of an installation', () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const private_key = privateKey
    .export({ type: 'pkcs1', format: 'pem' })
    .toString()
    .replaceAll('\n', String.raw`\n`);
  const app = { app_id: '7', private_key, installation_id: '70' };

  it('is created once for many calls, and again when GitHub refuses it', async () => {
    let made = 0;
    let valid = 'token-1';
    github.answer = ({ url, headers }) => {
      if (url === '/app/installations/70/access_tokens') {
        const expires_at = new Date(Date.now() + 3_600_000).toISOString();
        return { status: 201, body: { token: `token-${++made}`, expires_at } };
      }
      if (headers.authorization !== `Bearer ${valid}`) return { status: 401, body: { message: 'Bad credentials' } };
      return { status: 201, body: { node_id: 'IC' } };
    };
    const asApp = { ...call, credentials: app };
    for (let time = 0; time < 3; time++) expect(await adapter.call('deliver', asApp)).toMatchObject({ ok: true });
    expect(made).toBe(1);
    valid = 'token-2';
    expect(await adapter.call('deliver', asApp)).toMatchObject({ error: 'auth_failed' });
    expect(await adapter.call('deliver', asApp)).toMatchObject({ ok: true });
    expect(made).toBe(2);
  });

  it('that GitHub does not create in time was not used for anything: the delivery is retried', async () => {
    github.answer = () => 'silence';
    const asApp = { ...call, credentials: { ...app, installation_id: '71' } };
    expect(await hasty.call('deliver', asApp)).toMatchObject({
      error: 'provider_unavailable',
      error_detail: { retryable: true },
    });
    github.answer = () => ({ status: 404, body: { message: 'Not Found' } });
    expect(await hasty.call('deliver', asApp)).toMatchObject({ error: 'auth_failed' });
  });
});
