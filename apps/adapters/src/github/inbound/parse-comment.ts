import type { JsonObject, NormalizedMessage } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../../provider-calls/json-fields.js';
import { above } from './above.js';
import { lineThread, writeCommitAddress } from '../places/commit-address.js';
import { reviewThread } from '../places/issue-address.js';
import { contentKey, describeEvent, type EventContext } from './describe-event.js';

/** A comment in the conversation of an issue or of a pull request. */
export function parseComment(context: EventContext): NormalizedMessage | undefined {
  return describeComment(context, objectOf(context.payload.issue), 'issue_comment');
}

/** A comment on a line. Its thread is the comment that it answers, or itself. */
export function parseReviewComment(context: EventContext): NormalizedMessage | undefined {
  const comment = objectOf(context.payload.comment);
  const described = describeComment(context, objectOf(context.payload.pull_request), 'review_comment');
  const root = textOf(comment.in_reply_to_id) ?? textOf(comment.id);
  const address = described?.metadata?.channel_address ?? undefined;
  if (!described || root === undefined || address === undefined) return described;
  const [path, line, hunk] = [textOf(comment.path), comment.line ?? comment.original_line, textOf(comment.diff_hunk)];
  return {
    ...described,
    thread_id: reviewThread(address, root),
    metadata: {
      ...described.metadata,
      ...(path !== undefined && { path }),
      ...(typeof line === 'number' && { line }),
      ...(hunk !== undefined && { diff_hunk: hunk }),
    },
  };
}

/** A comment on a commit or on a line of it. Its thread is the commit or the line. */
export function parseCommitComment(context: EventContext): NormalizedMessage | undefined {
  const comment = objectOf(context.payload.comment);
  const described = describeComment(context, {}, 'commit_comment');
  const [commit, path] = [textOf(comment.commit_id), textOf(comment.path)];
  const repository = textOf(objectOf(context.payload.repository).full_name);
  const address = repository === undefined || commit === undefined ? undefined : writeCommitAddress(repository, commit);
  const isOnLine = path !== undefined && typeof comment.position === 'number';
  const line = isOnLine ? { path, position: Number(comment.position) } : undefined;
  return (
    described && {
      ...described,
      ...(address !== undefined && { thread_id: line ? lineThread(address, line) : address }),
      metadata: {
        ...described.metadata,
        channel_address: address ?? null,
        ...(commit !== undefined && { commit }),
        ...(path !== undefined && { path }),
        ...(typeof comment.line === 'number' && { line: comment.line }),
      },
    }
  );
}

export function describeComment(
  context: EventContext,
  thread: JsonObject,
  created: string,
): NormalizedMessage | undefined {
  const { payload, action } = context;
  const comment = objectOf(payload.comment);
  const event = { created, edited: 'message_edited', deleted: 'message_deleted' };
  if (action !== 'created' && action !== 'edited' && action !== 'deleted') return undefined;
  const described = describeEvent(context, { content: comment, number: thread.number });
  const key = {
    created: contentKey('comment', comment),
    edited: contentKey('comment', comment, 'edited', textOf(comment.updated_at)),
    deleted: contentKey('comment', comment, 'deleted'),
  };
  const { channel_address } = described.metadata;
  const [title, dedupKey] = [textOf(thread.title), key[action]];
  return {
    ...described,
    event_type: event[action],
    message: action === 'deleted' ? '' : (textOf(comment.body) ?? ''),
    ...(channel_address !== undefined && { thread_id: channel_address }),
    ...(dedupKey !== undefined && { dedup_key: dedupKey }),
    metadata: {
      ...described.metadata,
      ...(title !== undefined && { title }),
      ...(action === 'created' && above(thread)),
    },
  };
}
