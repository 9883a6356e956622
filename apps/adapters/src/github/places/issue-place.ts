import { listComments, type MakePlace, postComment } from './comment-place.js';
import { readIssueAddress, readReviewThread } from './issue-address.js';

/**
 * A lookup follows soon after its delivery. GitHub lists the oldest first: in a longer window a page might end before
 * it.
 */
const WINDOW_MS = 900_000;

/** An issue or a pull request, or a thread on a line of one. */
export const issuePlace: MakePlace = (written, thread, access) => {
  const address = readIssueAddress(written);
  if (!address) return undefined;
  // A thread keeps the name that its repository had.
  const isSame = (other: string): boolean => other === written || readIssueAddress(other)?.number === address.number;
  const review = readReviewThread(thread ?? '');
  if (thread !== undefined && !isSame(review?.address ?? thread)) return 'other_thread';
  const { owner, repo, number } = address;
  const [issue, pull] = [`/repos/${owner}/${repo}/issues/${number}`, `/repos/${owner}/${repo}/pulls/${number}`];
  const path = review ? `${pull}/comments/${review.rootComment}/replies` : `${issue}/comments`;
  return {
    repository: `${owner}/${repo}`,
    post: (body) => postComment(path, { body }, access),
    recent: [issue, pull].map((each) => () => {
      const since = new Date(Date.now() - WINDOW_MS).toISOString();
      return listComments(`${each}/comments`, `since=${since}&`, access);
    }),
    inRepository: (name) => `${name}#${number}`,
  };
};
