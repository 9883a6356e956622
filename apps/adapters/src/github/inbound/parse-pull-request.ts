import type { NormalizedMessage } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../../provider-calls/json-fields.js';
import { contentKey, type EventContext } from './describe-event.js';
import { describeThread } from './parse-issue.js';

const EVENTS: Record<string, string> = {
  opened: 'pull_request_opened',
  edited: 'message_edited',
  closed: 'pull_request_closed',
  reopened: 'pull_request_reopened',
  ready_for_review: 'pull_request_ready',
  review_requested: 'review_requested',
  synchronize: 'pull_request_updated',
};

export function parsePullRequest(context: EventContext): NormalizedMessage | undefined {
  const { payload, action } = context;
  const pull = objectOf(payload.pull_request);
  const eventType = Object.hasOwn(EVENTS, action) ? EVENTS[action] : undefined;
  if (eventType === undefined) return undefined;
  const reviewer = textOf(objectOf(payload.requested_reviewer).login) ?? textOf(objectOf(payload.requested_team).slug);
  const commit = textOf(objectOf(pull.head).sha);
  const what = action === 'synchronize' ? commit : reviewer;
  const key =
    action === 'opened'
      ? contentKey('pull_request', pull)
      : contentKey('pull_request', pull, action, what, textOf(pull.updated_at));
  return describeThread(context, pull, {
    eventType,
    key,
    details: {
      ...(action === 'closed' && { merged: pull.merged === true }),
      ...(reviewer !== undefined && { requested_reviewer: reviewer }),
      ...(commit !== undefined && { head: commit }),
    },
  });
}
