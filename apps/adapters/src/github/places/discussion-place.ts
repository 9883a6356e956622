import { type DeliverFailure, deliverFailure, type JsonObject } from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../../provider-calls/json-fields.js';
import { callGraphql } from '../api/call-graphql.js';
import { type Access, type Listed, type MakePlace, MAX_ANSWER_BYTES } from './comment-place.js';
import {
  type DiscussionAddress,
  readDiscussionAddress,
  readReplyThread,
  writeDiscussionAddress,
} from './discussion-address.js';

const ADD = `mutation($discussion: ID!, $body: String!, $replyTo: ID) {
  addDiscussionComment(input: {discussionId: $discussion, body: $body, replyToId: $replyTo}) { comment { id } }
}`;

/**
 * A discussion, or the replies to a comment on it. GraphQL follows a renamed repository by itself.
 * Source: https://docs.github.com/en/graphql/guides/using-the-graphql-api-for-discussions
 */
export const discussionPlace: MakePlace = (written, thread, access) => {
  const address = readDiscussionAddress(written);
  if (!address) return undefined;
  const isSame = (other: string): boolean => readDiscussionAddress(other)?.number === address.number;
  const reply = readReplyThread(thread ?? '');
  if (thread !== undefined && !isSame(reply?.address ?? thread)) return 'other_thread';
  let known: JsonObject | undefined;
  return {
    repository: `${address.owner}/${address.repo}`,
    post: async (body) => {
      const found = known ? { ok: true as const, data: known } : await findDiscussion(address, reply?.comment, access);
      if (!found.ok) return found;
      known = found.data;
      const { credentials, settings } = access;
      const answer = await callGraphql(ADD, { ...known, body }, credentials, settings);
      return answer.ok ? { ok: true, comment: objectOf(answer.data.addDiscussionComment).comment } : answer;
    },
    recent: [() => listRecent(address, access)],
    inRepository: (name) => writeDiscussionAddress(name, String(address.number)),
  };
};

/**
 * The ids that a comment goes to. A comment that is not among the last hundred, or is gone, is answered in the
 * discussion itself.
 */
async function findDiscussion(
  address: DiscussionAddress,
  comment: string | undefined,
  access: Access,
): Promise<{ ok: true; data: JsonObject } | DeliverFailure> {
  const fields = comment === undefined ? '' : 'comments(last: 100) { nodes { id databaseId } }';
  const found = await askDiscussion(address, fields, access);
  if (!found.ok) return found;
  const nodes = objectsOf(objectOf(found.discussion.comments).nodes);
  const replyTo = nodes.find(({ databaseId }) => textOf(databaseId) === comment)?.id;
  return { ok: true, data: { discussion: found.discussion.id, ...(comment !== undefined && { replyTo }) } };
}

async function listRecent(address: DiscussionAddress, access: Access): Promise<Listed> {
  const fields = 'comments(last: 100) { nodes { id body replies(last: 20) { nodes { id body } } } }';
  const found = await askDiscussion(address, fields, access);
  if (!found.ok) return found;
  const comments = objectsOf(objectOf(found.discussion.comments).nodes);
  return { ok: true, comments: comments.flatMap((each) => [each, ...objectsOf(objectOf(each.replies).nodes)]) };
}

async function askDiscussion(
  { owner, repo, number }: DiscussionAddress,
  fields: string,
  { credentials, settings }: Access,
): Promise<{ ok: true; discussion: JsonObject } | DeliverFailure> {
  const query = `query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { discussion(number: $number) { id ${fields} } }
}`;
  const answer = await callGraphql(query, { owner, repo, number }, credentials, settings, MAX_ANSWER_BYTES);
  if (!answer.ok) return answer;
  const { discussion } = objectOf(answer.data.repository);
  return textOf(objectOf(discussion).id) === undefined
    ? deliverFailure('not_found', 'GitHub has no such discussion')
    : { ok: true, discussion: objectOf(discussion) };
}
