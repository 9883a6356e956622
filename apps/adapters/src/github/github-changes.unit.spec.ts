import type { JsonObject } from '#libs/adapter-sdk';
import { hostAdapter, type AdapterHost } from '../testing/adapter-host.js';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { startProviderServer, type ProviderServer, type SeenRequest } from '../testing/provider-server.js';
import { createGithubAdapter } from './github.adapter.js';

const ISSUE = 'octo/docs#12';

let github: ProviderServer;
let adapter: AdapterHost;
beforeAll(async () => {
  github = await startProviderServer();
  adapter = await hostAdapter((http) => createGithubAdapter({ ...http, apiUrl: github.url }));
});
afterAll(async () => {
  await adapter.close();
  await github.close();
});

/** GitHub has this node, and takes each mutation. */
function has(node: JsonObject | null): void {
  github.seen.length = 0;
  github.answer = ({ url }) =>
    url === '/graphql' ? { body: { data: { node } } } : { status: 201, body: { id: 7, node_id: 'IC_kwDO7' } };
}

const deliver = (message: JsonObject) =>
  adapter.call('deliver', { credentials: { token: 't0ken' }, channel_address: ISSUE, message });
const queryOf = ({ fields }: SeenRequest) => textOf(fields.query) ?? '';
const variables = () => objectOf(github.seen.at(-1)?.fields.variables);

describe('an edit at GitHub', () => {
  it.each([
    ['IssueComment', 'updateIssueComment'],
    ['PullRequestReviewComment', 'updatePullRequestReviewComment'],
    ['DiscussionComment', 'updateDiscussionComment'],
  ])('changes the text of its own %s', async (kind, mutation) => {
    has({ __typename: kind, viewerDidAuthor: true });
    const edited = await deliver({ text: 'It is **green** now.', edit_of: 'IC_kwDO1' });
    expect(edited).toMatchObject({ ok: true, message_id: 'IC_kwDO1', thread_id: ISSUE });
    expect(github.seen.map(queryOf)).toEqual([expect.any(String), expect.stringContaining(`${mutation}(`)]);
    expect(variables()).toMatchObject({ id: 'IC_kwDO1', body: expect.stringMatching(/^It is \*\*green\*\* now\.\n/) });
  });

  it('changes a comment on a commit by its number', async () => {
    has({
      __typename: 'CommitComment',
      viewerDidAuthor: true,
      databaseId: 55,
      repository: { nameWithOwner: 'octo/docs' },
    });
    expect(await deliver({ text: 'Changed.', edit_of: 'CC_kwDO1' })).toMatchObject({ ok: true });
    expect(github.seen.at(-1)).toMatchObject({ method: 'PATCH', url: '/repos/octo/docs/comments/55' });
  });

  it('that is longer than a comment goes on in new ones', async () => {
    has({ __typename: 'IssueComment', viewerDidAuthor: true });
    const text = `${'a'.repeat(64_000)}\n\n${'b'.repeat(64_000)}`;
    const edited = await deliver({ text, edit_of: 'IC_kwDO1' });
    expect(edited).toMatchObject({ ok: true, parts: [{ message_id: 'IC_kwDO1' }, { message_id: 'IC_kwDO7' }] });
  });

  it('of what somebody else wrote is refused, and nothing changes', async () => {
    has({ __typename: 'IssueComment', viewerDidAuthor: false });
    expect(await deliver({ text: 'Forged.', edit_of: 'IC_kwDO1' })).toMatchObject({ error: 'permission_denied' });
    has({ __typename: 'Issue' });
    expect(await deliver({ text: 'Forged.', edit_of: 'I_kwDO1' })).toMatchObject({ error: 'permission_denied' });
    has(null);
    expect(await deliver({ text: 'Nobody.', edit_of: 'IC_kwDO1' })).toMatchObject({ error: 'not_found' });
    expect(github.seen.map(queryOf).filter((query) => query.startsWith('mutation'))).toEqual([]);
  });
});

describe('a reaction at GitHub', () => {
  it.each([
    ['👍', 'THUMBS_UP'],
    ['❤️', 'HEART'],
    [':eyes:', 'EYES'],
  ])('%s is %s', async (reaction, content) => {
    has(null);
    const reacted = await deliver({ text: '', reaction_to: 'IC_kwDO1', reaction });
    expect(reacted).toMatchObject({ ok: true, message_id: 'IC_kwDO1' });
    expect(variables()).toEqual({ id: 'IC_kwDO1', content });
  });

  it('that GitHub does not have is left out beside a text, and said; alone it is refused', async () => {
    has(null);
    expect(await deliver({ text: '', reaction_to: 'IC_kwDO1', reaction: '🦀' })).toMatchObject({
      error: 'unsupported',
    });
    const beside = await deliver({ text: 'Seen.', reaction_to: 'IC_kwDO1', reaction: '🦀' });
    expect(beside).toMatchObject({ ok: true, fallback: 'reaction' });
  });
});
