import {
  type DeliverCall,
  type DeliverFailure,
  deliverFailure,
  deliverParts,
  deliverReaction,
  type DeliverResponse,
} from '#libs/adapter-sdk';
import { partsToPost } from '../markdown-comments/format-message.js';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { callGithub } from './api/call-github.js';
import type { GithubSettings } from './api/github-api.js';
import { changeComment, isNodeId, react } from './change-comment.js';
import { deliveryMark } from './delivery-mark.js';
import { GITHUB_COMMENTS } from './github.manifest.js';
import type { Access, CommentPlace } from './places/comment-place.js';
import { readRepository } from './places/issue-address.js';
import { placeOf } from './places/place-of.js';

/** Comments on an issue, a pull request, a commit or a discussion, or changes a comment; then it may react to one. */
export async function deliverMessage(call: DeliverCall, settings: GithubSettings): Promise<DeliverResponse> {
  const access = { credentials: call.credentials, settings };
  return deliverReaction(
    call,
    () => sendMessage(call, access),
    (reaction) => react(reaction, access),
  );
}

/** A long text goes in parts. Of an edit the first one changes the comment. */
async function sendMessage(call: DeliverCall, access: Access): Promise<DeliverResponse> {
  const { message, channel_address } = call;
  const edited = message.edit_of;
  if (message.text.trim() === '') return deliverFailure('invalid_request', 'message.text is empty');
  if (message.attachments?.length) return deliverFailure('unsupported', 'attachments cannot be sent');
  if (edited !== undefined && !isNodeId(edited)) {
    return deliverFailure('invalid_request', 'message.edit_of must be the node id of a comment');
  }
  const place = placeOf(channel_address, message.thread_id, access);
  if (place === undefined) {
    return deliverFailure(
      'invalid_request',
      'channel_address must be owner/repository#number, owner/repository/discussions/number or owner/repository@commit',
    );
  }
  if (place === 'other_thread') {
    return deliverFailure('invalid_request', 'message.thread_id must be the address itself, or a thread in it');
  }
  const bodies = partsToPost(message, GITHUB_COMMENTS);
  return deliverParts(call, bodies, async ({ text, index, count, key }) => {
    const body = `${text}\n\n${deliveryMark(key, index, count)}`;
    const threadId = message.thread_id ?? channel_address;
    if (edited !== undefined && index === 0) {
      const changed = await changeComment(edited, body, access);
      return changed.ok ? { messageId: edited, threadId } : changed;
    }
    const answer = await place.post(body);
    if (answer.ok) return posted(answer.comment, threadId);
    return answer.error === 'address_moved' ? movedTo(place, answer, access) : answer;
  });
}

/** The failure with the address that the renamed repository has now, if GitHub tells it. */
async function movedTo(
  place: CommentPlace,
  failure: DeliverFailure,
  { credentials, settings }: Access,
): Promise<DeliverFailure> {
  const answer = await callGithub(`/repos/${place.repository}`, {}, credentials, settings);
  const name = answer.ok ? textOf(objectOf(answer.body).full_name) : undefined;
  if (name === undefined || !readRepository(name) || name === place.repository) return failure;
  return deliverFailure('address_moved', 'the repository has another name', {
    channel_address: place.inRepository(name),
  });
}

function posted(body: unknown, threadId: string): { messageId: string; threadId: string } | DeliverFailure {
  const comment = objectOf(body);
  const messageId = textOf(comment.node_id) ?? textOf(comment.id);
  return messageId === undefined
    ? deliverFailure('provider_unavailable', 'GitHub answered without the id of the comment')
    : { messageId, threadId };
}
