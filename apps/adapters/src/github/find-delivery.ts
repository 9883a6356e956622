import { ProviderUnavailable, type DeliverFailure, type LookupCall, type LookupResult } from '#libs/adapter-sdk';
import { objectsOf, textOf } from '../provider-calls/json-fields.js';
import { callGithub } from './api/call-github.js';
import type { GithubAnswer, GithubSettings } from './api/github-api.js';
import { isLastOf } from './delivery-mark.js';
import { readIssueAddress } from './issue-address.js';

/**
 * A lookup follows soon after its delivery. GitHub lists the oldest first: in a longer window a page might end before
 * it.
 */
const WINDOW_MS = 900_000;
const PAGE_LENGTH = 100;
/** A hundred comments of GitHub's maximum size. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/**
 * Whether a delivery arrived: looks for the mark of its last part in comments of the last quarter of an hour, in the
 * conversation or on a line.
 * @throws ProviderUnavailable when GitHub cannot be asked: "not found" would send it again
 */
export async function findDelivery(call: LookupCall, settings: GithubSettings): Promise<LookupResult> {
  const address = readIssueAddress(call.channel_address);
  if (!address) return { found: false };
  const since = new Date(Date.now() - WINDOW_MS).toISOString();
  const query = `since=${since}&per_page=${PAGE_LENGTH}`;
  for (const kind of ['issues', 'pulls']) {
    const path = `/repos/${address.owner}/${address.repo}/${kind}/${address.number}/comments?${query}`;
    const answer = await callGithub(path, { maxAnswerBytes: MAX_ANSWER_BYTES }, call.credentials, settings);
    const comments = commentsOf(answer);
    const found = comments.find(({ body }) => isLastOf(textOf(body) ?? '', call.idempotency_key));
    const id = textOf(found?.node_id) ?? textOf(found?.id);
    if (id !== undefined) return { found: true, message_id: id };
  }
  return { found: false };
}

/** An issue has no line comments: GitHub answers 404. */
function commentsOf(answer: GithubAnswer | DeliverFailure): ReturnType<typeof objectsOf> {
  if (answer.ok) return objectsOf(answer.body);
  if (answer.error === 'not_found') return [];
  throw new ProviderUnavailable(`GitHub did not list the comments: ${answer.error}`, answer.error_detail?.retry_after);
}
