import { listComments, type MakePlace, postComment } from './comment-place.js';
import { readCommitAddress, readLineThread, writeCommitAddress } from './commit-address.js';

/**
 * A commit, or a line of it.
 * Source: https://docs.github.com/en/rest/commits/comments
 */
export const commitPlace: MakePlace = (written, thread, access) => {
  const address = readCommitAddress(written);
  if (!address) return undefined;
  const isSame = (other: string): boolean => readCommitAddress(other)?.sha === address.sha;
  const line = readLineThread(thread ?? '');
  if (thread !== undefined && !isSame(line?.address ?? thread)) return 'other_thread';
  const { owner, repo, sha } = address;
  const path = `/repos/${owner}/${repo}/commits/${sha}/comments`;
  const where = line ? { path: line.path, position: line.position } : {};
  return {
    repository: `${owner}/${repo}`,
    post: (body) => postComment(path, { body, ...where }, access),
    recent: [() => listComments(path, '', access)],
    inRepository: (name) => writeCommitAddress(name, sha),
  };
};
