import type { JsonObject } from '#libs/adapter-sdk';
import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { startProviderServer, type ProviderServer, type Reply, type SeenRequest } from '../testing/provider-server.js';
import { createGithubAdapter } from './github.adapter.js';

const credentials = { token: 't0ken' };
const SHA = '6113728f27ae82c7b1a177c8d03f9e96e0adf246';
const COMMIT = `octo/docs@${SHA}`;
const DISCUSSION = 'octo/docs/discussions/90';

let github: ProviderServer;
let adapter: AdapterHost;
beforeAll(async () => {
  github = await startProviderServer();
  adapter = await hostAdapter((http) => createGithubAdapter({ ...http, apiUrl: `${github.url}/api/v3` }));
});
beforeEach(() => {
  github.seen.length = 0;
});
afterAll(async () => {
  await adapter.close();
  await github.close();
});

const deliver = (channel_address: string, message: JsonObject, more: JsonObject = {}) =>
  adapter.call('deliver', { credentials, channel_address, message, ...more });
const lookup = (channel_address: string, idempotency_key: string) =>
  adapter.call('deliver/lookup', { credentials, channel_address, idempotency_key });
const variablesOf = (request: SeenRequest | undefined) => objectOf(request?.fields.variables);
const isMutation = ({ fields }: SeenRequest) => textOf(fields.query)?.startsWith('mutation') === true;

/** A discussion with one comment, which keeps what is added. */
function discussion(): (request: SeenRequest) => Reply {
  const replies: JsonObject[] = [];
  const comments: JsonObject[] = [{ id: 'DC_1', databaseId: 544_078, body: 'Questions!', replies: { nodes: replies } }];
  return (request) => {
    expect(request).toMatchObject({ method: 'POST', url: '/api/graphql' });
    if (isMutation(request)) {
      const { body, replyTo } = variablesOf(request);
      const added = { id: `DC_${comments.length + replies.length + 1}`, body };
      (replyTo === undefined ? comments : replies).push(added);
      return { body: { data: { addDiscussionComment: { comment: { id: added.id } } } } };
    }
    return { body: { data: { repository: { discussion: { id: 'D_90', comments: { nodes: comments } } } } } };
  };
}

describe('an answer to a discussion', () => {
  it('is a comment on it, in as many parts as its length needs, and is found again', async () => {
    github.answer = discussion();
    const text = `${'a'.repeat(64_000)}\n\n${'b'.repeat(64_000)}`;
    const sent = await deliver(DISCUSSION, { text }, { idempotency_key: 'one' });
    expect(sent).toMatchObject({
      ok: true,
      thread_id: DISCUSSION,
      parts: [{ message_id: 'DC_2' }, { message_id: 'DC_3' }],
    });
    expect(variablesOf(github.seen[0])).toEqual({ owner: 'octo', repo: 'docs', number: 90 });
    expect(github.seen.map(isMutation)).toEqual([false, true, true]);
    expect(variablesOf(github.seen[1])).toMatchObject({
      discussion: 'D_90',
      body: expect.stringMatching(/^a{64000}\n/),
    });
    expect(await lookup(DISCUSSION, 'one')).toEqual({ found: true, message_id: 'DC_3' });
    expect(await lookup(DISCUSSION, 'two')).toEqual({ found: false });
  });

  it('replies to the comment that the thread names, and is found there', async () => {
    github.answer = discussion();
    const thread_id = `${DISCUSSION}:reply:544078`;
    const sent = await deliver(DISCUSSION, { text: 'Ask @jane.', thread_id }, { idempotency_key: 'one' });
    expect(sent).toMatchObject({ ok: true, message_id: 'DC_2', thread_id });
    expect(variablesOf(github.seen[1])).toMatchObject({
      replyTo: 'DC_1',
      body: expect.stringMatching(/^Ask @\u200bjane\./),
    });
    expect(await lookup(DISCUSSION, 'one')).toEqual({ found: true, message_id: 'DC_2' });
  });

  it('stands in the discussion itself when the comment is gone', async () => {
    github.answer = discussion();
    const sent = await deliver(DISCUSSION, { text: 'hello', thread_id: `${DISCUSSION}:reply:7` });
    expect(sent).toMatchObject({ ok: true, message_id: 'DC_2' });
    expect(variablesOf(github.seen[1]).replyTo).toBeUndefined();
  });

  it.each([
    ['NOT_FOUND', 'not_found', {}],
    ['FORBIDDEN', 'permission_denied', {}],
    ['INSUFFICIENT_SCOPES', 'permission_denied', {}],
    ['RATE_LIMITED', 'rate_limited', { retry_after: 60 }],
    ['UNPROCESSABLE', 'invalid_request', {}],
    // It may have taken effect: the look-up tells.
    [undefined, 'timeout', { retryable: false }],
  ])('with an error of GraphQL, %s, fails as %s', async (type, error, error_detail) => {
    github.answer = () => ({ body: { data: { repository: null }, errors: [{ type, message: 'Sorry' }] } });
    expect(await deliver(DISCUSSION, { text: 'hello' })).toMatchObject({ ok: false, error, error_detail });
  });

  it('with a query that GitHub does not know fails for good', async () => {
    const unknown = { message: 'Field replyTo is not defined', extensions: { code: 'argumentNotAccepted' } };
    github.answer = () => ({ body: { errors: [unknown] } });
    const detail = { retryable: false };
    expect(await deliver(DISCUSSION, { text: 'hello' })).toMatchObject({
      error: 'invalid_request',
      error_detail: detail,
    });
  });

  it('fails as not_found without a discussion, and a look-up that GitHub did not answer says so', async () => {
    github.answer = () => ({ body: { data: { repository: { discussion: null } } } });
    expect(await deliver(DISCUSSION, { text: 'hello' })).toMatchObject({ ok: false, error: 'not_found' });
    github.answer = () => ({ status: 503 });
    await expect(lookup(DISCUSSION, 'one')).rejects.toThrow('503');
  });
});

describe('an answer to a comment on a commit', () => {
  const path = `/api/v3/repos/octo/docs/commits/${SHA}/comments`;

  it('is a comment on the commit, or on the line that the thread names, and is found again', async () => {
    const posted: JsonObject[] = [];
    github.answer = ({ method, fields }) => {
      if (method === 'GET') return { body: posted };
      posted.push({ node_id: `CC_${posted.length + 1}`, body: fields.body });
      return { status: 201, body: posted.at(-1) };
    };
    const sent = await deliver(COMMIT, { text: 'Thanks.', thread_id: COMMIT }, { idempotency_key: 'one' });
    expect(sent).toMatchObject({ ok: true, message_id: 'CC_1', thread_id: COMMIT });
    const thread_id = `${COMMIT}:line:4:src/a:b.ts`;
    expect(await deliver(COMMIT, { text: 'Here.', thread_id })).toMatchObject({
      ok: true,
      message_id: 'CC_2',
      thread_id,
    });
    expect(github.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([`POST ${path}`, `POST ${path}`]);
    expect(github.seen[0]?.fields).toEqual({ body: expect.stringMatching(/^Thanks\.\n/) });
    expect(github.seen[1]?.fields).toMatchObject({ path: 'src/a:b.ts', position: 4 });
    expect(await lookup(COMMIT, 'one')).toEqual({ found: true, message_id: 'CC_1' });
    expect(await lookup(COMMIT, 'two')).toEqual({ found: false });
  });

  it('tells the new address of a renamed repository', async () => {
    github.answer = ({ method }) => (method === 'POST' ? { status: 307 } : { body: { full_name: 'octo/handbook' } });
    expect(await deliver(COMMIT, { text: 'hello' })).toMatchObject({
      error: 'address_moved',
      error_detail: { channel_address: `octo/handbook@${SHA}` },
    });
    github.answer = () => ({ status: 201, body: { node_id: 'CC_9' } });
    const message = { text: 'hello', thread_id: `${COMMIT}:line:4:a.ts` };
    expect(await deliver(`octo/handbook@${SHA}`, message)).toMatchObject({ ok: true });
  });
});

describe('what is received', () => {
  const repository = { full_name: 'octo/docs' };
  const user = { login: 'jane', id: 5, type: 'User' };
  const parse = (event: string, json: JsonObject) =>
    adapter.call('parse-inbound', {
      credentials,
      request: {
        headers: { 'x-github-event': event },
        body: JSON.stringify({ action: 'created', repository, sender: user, ...json }),
      },
    });

  it('a reply in a discussion has the thread of the comment that it answers', async () => {
    const comment = { id: 2, parent_id: 1, node_id: 'DC_2', body: 'And?', user };
    expect(await parse('discussion_comment', { discussion: { number: 90 }, comment })).toMatchObject({
      thread_id: `${DISCUSSION}:reply:1`,
      metadata: { channel_address: DISCUSSION },
    });
  });

  it('a comment on a line of a commit has the thread of the line', async () => {
    const comment = { id: 3, node_id: 'CC_3', body: 'Why?', commit_id: SHA, path: 'a.ts', position: 4, line: 9, user };
    expect(await parse('commit_comment', { comment })).toMatchObject({
      thread_id: `${COMMIT}:line:4:a.ts`,
      metadata: { channel_address: COMMIT, path: 'a.ts', line: 9 },
    });
  });
});

it('an address or a thread that could lead elsewhere is refused without a request', async () => {
  const addresses = [
    'octo/../discussions/9',
    'octo/docs/discussions/0',
    `octo/..@${SHA}`,
    'octo/docs@main',
    `${COMMIT}/..`,
  ];
  for (const address of addresses)
    expect(await deliver(address, { text: 'x' })).toMatchObject({ error: 'invalid_request' });
  const threads: [string, string][] = [
    [DISCUSSION, 'octo/docs/discussions/91:reply:1'],
    [DISCUSSION, 'octo/docs#90'],
    [COMMIT, `octo/docs@${'0'.repeat(40)}:line:1:a.ts`],
  ];
  for (const [address, thread_id] of threads) {
    expect(await deliver(address, { text: 'x', thread_id })).toMatchObject({ error: 'invalid_request' });
  }
  expect(github.seen).toHaveLength(0);
});
