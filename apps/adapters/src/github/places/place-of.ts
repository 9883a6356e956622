import type { Access, CommentPlace } from './comment-place.js';
import { commitPlace } from './commit-place.js';
import { discussionPlace } from './discussion-place.js';
import { issuePlace } from './issue-place.js';

/** The place that the address names; undefined when it names none. */
export function placeOf(
  address: string,
  thread: string | undefined,
  access: Access,
): CommentPlace | 'other_thread' | undefined {
  return (
    issuePlace(address, thread, access) ??
    discussionPlace(address, thread, access) ??
    commitPlace(address, thread, access)
  );
}
