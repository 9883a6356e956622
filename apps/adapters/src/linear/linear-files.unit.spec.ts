import type { JsonObject } from '#libs/adapter-sdk';
import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { startProviderServer, type ProviderServer, type SeenRequest } from '../testing/provider-server.js';
import { createLinearAdapter } from './linear.adapter.js';

const ISSUE = '0c5a3a52-2b0a-4d0f-9c1e-5b1f0d3c2a10';
const COMMENT = '7d9a2f0e-6a43-4a7b-8a55-0a9b1c2d3e4f';

let linear: ProviderServer;
let adapter: AdapterHost;
beforeAll(async () => {
  linear = await startProviderServer();
  adapter = await hostAdapter((http) => createLinearAdapter({ ...http, apiUrl: linear.url }));
});
afterAll(async () => {
  await adapter.close();
  await linear.close();
});
beforeEach(() => {
  linear.seen.length = 0;
  linear.answer = ({ url, fields }) => {
    if (url !== '/graphql') return { body: '' };
    const uploadFile = {
      uploadUrl: `${linear.url}/bucket/1?signature=s`,
      assetUrl: 'https://uploads.linear.app/o/1',
      headers: [{ key: 'x-goog-content-length-range', value: '1,1' }],
    };
    const comment = { id: COMMENT };
    const data = { fileUpload: { uploadFile }, commentCreate: { comment }, reactionCreate: { success: true } };
    return { body: { data: fields.query === undefined ? {} : data } };
  };
});

const deliver = (message: JsonObject) =>
  adapter.call('deliver', { credentials: { token: 'lin_api_key' }, channel_address: ISSUE, message });
const operation = ({ headers }: SeenRequest) => headers['x-apollo-operation-name'];
const file = (name: string, type: string) => ({ name, content_type: type, content_base64: 'YQ==' });

describe('files at Linear', () => {
  it('are stored without the key, and stand below the text: a picture as such, another one as a link', async () => {
    const attachments = [file('a [1].png', 'image/png'), file('report.pdf', 'application/pdf')];
    expect(await deliver({ text: 'Both.', attachments })).toMatchObject({ ok: true, parts: [{ message_id: COMMENT }] });
    expect(linear.seen.map((seen) => operation(seen) ?? seen.method)).toEqual([
      'FileUpload',
      'PUT',
      'FileUpload',
      'PUT',
      'CommentCreate',
    ]);
    expect(linear.seen[0]?.fields.variables).toEqual({ contentType: 'image/png', filename: 'a [1].png', size: 1 });
    expect(linear.seen[1]).toMatchObject({
      text: 'a',
      headers: { 'content-type': 'image/png', 'x-goog-content-length-range': '1,1' },
    });
    expect(linear.seen[1]?.headers.authorization).toBeUndefined();
    expect(linear.seen.at(-1)?.fields.variables).toMatchObject({
      input: {
        body: String.raw`Both.

![a \[1\].png](https://uploads.linear.app/o/1)

[report.pdf](https://uploads.linear.app/o/1)`,
      },
    });
  });

  it('go alone, too; without a place for one nothing is written', async () => {
    expect(await deliver({ text: '', attachments: [file('a.txt', 'text/plain')] })).toMatchObject({ ok: true });
    linear.seen.length = 0;
    linear.answer = () => ({ body: { data: { fileUpload: null } } });
    const failed = await deliver({ text: 'x', attachments: [file('a.txt', 'text/plain')] });
    expect(failed).toMatchObject({ ok: false, error: 'provider_unavailable' });
    expect(linear.seen.map(operation)).toEqual(['FileUpload']);
  });
});

describe('a reaction at Linear', () => {
  it.each([
    [COMMENT, { commentId: COMMENT, emoji: '👍' }],
    [ISSUE, { issueId: ISSUE, emoji: '👍' }],
  ])('is of the comment or the issue that it names: %s', async (reaction_to, input) => {
    expect(await deliver({ text: '', reaction_to, reaction: '👍' })).toMatchObject({ ok: true });
    expect(linear.seen.map(({ fields }) => fields.variables)).toEqual([{ input }]);
  });
});
