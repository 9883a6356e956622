import {
  headerValue,
  ignoredMessage,
  type InboundCall,
  type JsonObject,
  type NormalizedMessage,
  isJsonObject,
  parseJson,
} from '#libs/adapter-sdk';
import { textOf } from '../../provider-calls/json-fields.js';
import { describeEvent } from './describe-event.js';
import { parseAlert } from './parse-alert.js';
import {
  parseCheckRun,
  parseDeploymentStatus,
  parseRelease,
  parseRepository,
  parseWorkflowRun,
} from './parse-automation.js';
import { parseComment, parseCommitComment, parseReviewComment } from './parse-comment.js';
import { parseDiscussion, parseDiscussionComment } from './parse-discussion.js';
import { parseIssue } from './parse-issue.js';
import { parsePing, parsePush } from './parse-push.js';
import { parsePullRequest } from './parse-pull-request.js';
import { parseReview } from './parse-review.js';
import type { EventContext } from './describe-event.js';

/** Each returns undefined for an action that is of no use to an agent. */
const PARSERS: Record<string, (context: EventContext) => NormalizedMessage | undefined> = {
  issues: parseIssue,
  issue_comment: parseComment,
  pull_request: parsePullRequest,
  pull_request_review: parseReview,
  pull_request_review_comment: parseReviewComment,
  push: parsePush,
  commit_comment: parseCommitComment,
  discussion: parseDiscussion,
  discussion_comment: parseDiscussionComment,
  workflow_run: parseWorkflowRun,
  check_run: parseCheckRun,
  release: parseRelease,
  deployment_status: parseDeploymentStatus,
  repository: parseRepository,
  dependabot_alert: parseAlert,
  repository_vulnerability_alert: parseAlert,
  code_scanning_alert: parseAlert,
  secret_scanning_alert: parseAlert,
  ping: parsePing,
};

/**
 * A webhook, named by its `X-GitHub-Event` header. Source:
 * https://docs.github.com/en/webhooks/webhook-events-and-payloads
 */
export function parseGithubInbound({ request, self }: InboundCall): NormalizedMessage {
  const payload = readGithubBody(request.text);
  if (!payload) return ignoredMessage('unknown_body');
  const event = headerValue(request.headers, 'x-github-event') ?? '';
  const action = textOf(payload.action) ?? '';
  const rawType = action === '' ? event : `${event}.${action}`;
  const context = { payload, action, self, rawType };
  const parse = Object.hasOwn(PARSERS, event) ? PARSERS[event] : undefined;
  const parsed = parse?.(context);
  if (parsed) return parsed;
  const { is_bot, metadata } = describeEvent(context, {});
  return { ...ignoredMessage('unknown_event', metadata), is_bot };
}

/** The payload of either content type that GitHub offers: JSON, or a form whose field `payload` is JSON. */
function readGithubBody(text: string): JsonObject | undefined {
  const document = parseJson(text);
  if (isJsonObject(document)) return document;
  if (document !== undefined) return undefined;
  const payload = parseJson(new URLSearchParams(text).get('payload') ?? '');
  return isJsonObject(payload) ? payload : undefined;
}
