import { type DeliverFailure, deliverFailure, type Reaction } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { callGithub } from './api/call-github.js';
import { callGraphql } from './api/call-graphql.js';
import type { Access } from './places/comment-place.js';

/** A node id of either form. */
const NODE = /^[\w=+/-]{5,200}$/;

const FIND = `query($id: ID!) {
  node(id: $id) {
    __typename
    ... on Comment { viewerDidAuthor }
    ... on CommitComment { databaseId repository { nameWithOwner } }
  }
}`;
const CHANGES: Readonly<Record<string, string>> = {
  IssueComment: 'updateIssueComment(input: {id: $id, body: $body})',
  PullRequestReviewComment: 'updatePullRequestReviewComment(input: {pullRequestReviewCommentId: $id, body: $body})',
  DiscussionComment: 'updateDiscussionComment(input: {commentId: $id, body: $body})',
};
const REACT = `mutation($id: ID!, $content: ReactionContent!) {
  addReaction(input: {subjectId: $id, content: $content}) { reaction { id } }
}`;
/** All that GitHub has. Source: GraphQL, enum ReactionContent. */
const REACTIONS: readonly (readonly [string, readonly string[]])[] = [
  ['THUMBS_UP', ['👍', '+1', 'thumbsup']],
  ['THUMBS_DOWN', ['👎', '-1', 'thumbsdown']],
  ['LAUGH', ['😄', 'smile', 'laugh']],
  ['HOORAY', ['🎉', 'tada', 'hooray']],
  ['CONFUSED', ['😕', 'confused']],
  ['HEART', ['❤', 'heart']],
  ['ROCKET', ['🚀', 'rocket']],
  ['EYES', ['👀', 'eyes']],
];

export function isNodeId(id: string): boolean {
  return NODE.test(id);
}

/**
 * Changes a comment of the token's own. Who may write in a repository may change what others wrote there: that is
 * refused here.
 */
export async function changeComment(
  id: string,
  body: string,
  { credentials, settings }: Access,
): Promise<{ ok: true } | DeliverFailure> {
  const found = await callGraphql(FIND, { id }, credentials, settings);
  if (!found.ok) return found;
  const node = objectOf(found.data.node);
  const kind = textOf(node.__typename);
  if (kind === undefined) return deliverFailure('not_found', 'GitHub has no such comment');
  if (node.viewerDidAuthor !== true) {
    return deliverFailure('permission_denied', 'the comment is not the agent’s own: only its own can be changed');
  }
  if (kind === 'CommitComment') {
    const path = `/repos/${textOf(objectOf(node.repository).nameWithOwner)}/comments/${textOf(node.databaseId)}`;
    const changed = await callGithub(path, { method: 'PATCH', json: { body } }, credentials, settings);
    return changed.ok ? { ok: true } : changed;
  }
  const change = CHANGES[kind];
  if (change === undefined) return deliverFailure('unsupported', 'only a comment can be changed');
  const mutation = `mutation($id: ID!, $body: String!) { ${change} { clientMutationId } }`;
  const changed = await callGraphql(mutation, { id, body }, credentials, settings);
  return changed.ok ? { ok: true } : changed;
}

/** The same reaction once more is none. */
export async function react(
  { messageId: id, emoji }: Reaction,
  { credentials, settings }: Access,
): Promise<{ ok: true } | DeliverFailure> {
  if (!isNodeId(id)) return deliverFailure('invalid_request', 'message.reaction_to must be the node id of a comment');
  const name = emoji.replaceAll(/^:|:$|\ufe0f/g, '');
  const content = REACTIONS.find(([, names]) => names.includes(name))?.[0];
  if (content === undefined) {
    return deliverFailure('unsupported', 'GitHub has only the reactions 👍 👎 😄 🎉 😕 ❤️ 🚀 👀');
  }
  const reacted = await callGraphql(REACT, { id, content }, credentials, settings);
  return reacted.ok ? { ok: true } : reacted;
}
