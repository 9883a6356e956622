import {
  type DeliverCall,
  type DeliverFailure,
  deliverFailure,
  deliverParts,
  type DeliverResponse,
} from '#libs/adapter-sdk';
import { objectOf, textOf } from '../provider-calls/json-fields.js';
import { callGithub } from './api/call-github.js';
import type { GithubSettings } from './api/github-api.js';
import { deliveryMark } from './delivery-mark.js';
import { partsToPost } from './format-message.js';
import { GITHUB_MAX_LENGTH } from './github.manifest.js';
import { readIssueAddress, readReviewThread, type IssueAddress } from './issue-address.js';

/** Comments on an issue or a pull request, or answers the review comment that the thread names. */
export async function deliverMessage(call: DeliverCall, settings: GithubSettings): Promise<DeliverResponse> {
  const { message, channel_address, credentials } = call;
  if (message.text.trim() === '') return deliverFailure('invalid_request', 'message.text is empty');
  if (message.attachments?.length) return deliverFailure('unsupported', 'attachments cannot be sent');
  const address = readIssueAddress(channel_address);
  if (!address) return deliverFailure('invalid_request', 'channel_address must be owner/repository#number');
  const path = commentsPath(address, channel_address, message.thread_id);
  if (path === undefined) {
    return deliverFailure(
      'invalid_request',
      'message.thread_id must be the address itself, or <address>:review:<comment>',
    );
  }
  const bodies = partsToPost(message, GITHUB_MAX_LENGTH);
  return deliverParts(call, bodies, async ({ text, index, count, key }) => {
    const json = { body: `${text}\n\n${deliveryMark(key, index, count)}` };
    const answer = await callGithub(path, { method: 'POST', json }, credentials, settings);
    return answer.ok ? posted(answer.body, message.thread_id ?? channel_address) : answer;
  });
}

function posted(body: unknown, threadId: string): { messageId: string; threadId: string } | DeliverFailure {
  const comment = objectOf(body);
  const messageId = textOf(comment.node_id) ?? textOf(comment.id);
  return messageId === undefined
    ? deliverFailure('provider_unavailable', 'GitHub answered without the id of the comment')
    : { messageId, threadId };
}

/** Where the comment goes; undefined when the thread does not belong to this address. */
function commentsPath(address: IssueAddress, written: string, thread: string | undefined): string | undefined {
  const repository = `/repos/${address.owner}/${address.repo}`;
  if (thread === undefined || thread === written) return `${repository}/issues/${address.number}/comments`;
  const review = readReviewThread(thread);
  if (review?.address !== written) return undefined;
  return `${repository}/pulls/${address.number}/comments/${review.rootComment}/replies`;
}
