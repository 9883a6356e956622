import type { JsonObject, NormalizedMessage } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../../provider-calls/json-fields.js';
import { contentKey, describeEvent, type EventContext } from './describe-event.js';

const EVENTS: Record<string, string> = {
  opened: 'issue_opened',
  edited: 'message_edited',
  closed: 'issue_closed',
  reopened: 'issue_reopened',
  assigned: 'issue_assigned',
  labeled: 'issue_labeled',
};

export function parseIssue(context: EventContext): NormalizedMessage | undefined {
  const { payload, action } = context;
  const issue = objectOf(payload.issue);
  const eventType = Object.hasOwn(EVENTS, action) ? EVENTS[action] : undefined;
  if (eventType === undefined) return undefined;
  const what = textOf(objectOf(payload.label).name) ?? textOf(objectOf(payload.assignee).login);
  const key =
    action === 'opened'
      ? contentKey('issue', issue)
      : contentKey('issue', issue, action, what, textOf(issue.updated_at) ?? textOf(issue.closed_at));
  return describeThread(context, issue, {
    eventType,
    key,
    details: what === undefined ? {} : { subject_of_change: what },
  });
}

/**
 * An issue or a pull request. When it is opened or edited, the text is its title and its body (which GitHub sends as
 * null when empty). For a change of state the text is the title only, and only the sender counts as author.
 */
export function describeThread(
  context: EventContext,
  thread: JsonObject,
  about: { eventType: string; key: string | undefined; details?: JsonObject },
): NormalizedMessage {
  const isContent = ['opened', 'edited'].includes(context.action);
  const described = describeEvent(context, { number: thread.number, ...(isContent && { content: thread }) });
  const [title, body] = [textOf(thread.title) ?? '', textOf(thread.body)];
  const { channel_address } = described.metadata;
  return {
    ...described,
    event_type: about.eventType,
    message: isContent && body !== undefined ? `${title}\n\n${body}` : title,
    ...(channel_address !== undefined && { thread_id: channel_address }),
    ...(about.key !== undefined && { dedup_key: about.key }),
    metadata: { ...described.metadata, title, ...about.details },
  };
}
