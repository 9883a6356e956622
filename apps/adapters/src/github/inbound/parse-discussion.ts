import type { NormalizedMessage } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../../provider-calls/json-fields.js';
import { describeComment } from './parse-comment.js';
import { describeThread } from './parse-issue.js';
import { replyThread, writeDiscussionAddress } from '../places/discussion-address.js';
import { contentKey, type EventContext } from './describe-event.js';

const EVENTS: Record<string, string> = {
  created: 'discussion_created',
  edited: 'message_edited',
  answered: 'discussion_answered',
};

/** A discussion, answered by comments on it. */
export function parseDiscussion(context: EventContext): NormalizedMessage | undefined {
  const { payload, action } = context;
  const discussion = objectOf(payload.discussion);
  const eventType = Object.hasOwn(EVENTS, action) ? EVENTS[action] : undefined;
  if (eventType === undefined) return undefined;
  const at = action === 'created' ? [] : [action, textOf(discussion.updated_at)];
  const category = textOf(objectOf(discussion.category).name);
  const thread = describeThread({ ...context, action: action === 'created' ? 'opened' : action }, discussion, {
    eventType,
    key: contentKey('discussion', discussion, ...at),
    details: category === undefined ? {} : { category },
  });
  const answer = textOf(objectOf(payload.answer).body);
  const message = action === 'answered' && answer !== undefined ? `${thread.message}\n\n${answer}` : thread.message;
  return placed({ ...thread, message }, context);
}

/** A comment on a discussion. Its thread is the comment that it replies to, or itself. */
export function parseDiscussionComment(context: EventContext): NormalizedMessage | undefined {
  const { id, parent_id } = objectOf(context.payload.comment);
  const comment = describeComment(context, objectOf(context.payload.discussion), 'discussion_comment');
  return comment && placed(comment, context, textOf(parent_id) ?? textOf(id));
}

/** A discussion has a number among those of the issues, and is none of them. */
function placed(message: NormalizedMessage, { payload }: EventContext, comment?: string): NormalizedMessage {
  const [repository, number] = [objectOf(payload.repository).full_name, objectOf(payload.discussion).number].map(
    textOf,
  );
  const { thread_id: _, ...rest } = message;
  if (repository === undefined || number === undefined) {
    return { ...rest, metadata: { ...message.metadata, channel_address: null } };
  }
  const address = writeDiscussionAddress(repository, number);
  return {
    ...rest,
    thread_id: comment === undefined ? address : replyThread(address, comment),
    metadata: { ...message.metadata, channel_address: address },
  };
}
