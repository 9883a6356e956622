import { type Repository, readRepository } from './issue-address.js';

export interface CommitAddress extends Repository {
  sha: string;
}

/** A file of the commit, and the line in its diff. */
export interface CommitLine {
  path: string;
  position: number;
}

const COMMIT = /^([^@]{3,201})@([0-9a-f]{40}|[0-9a-f]{64})$/;
const LINE = /^([^:]*):line:([1-9]\d{0,8}):(.+)$/s;

export function writeCommitAddress(repository: string, sha: string): string {
  return `${repository}@${sha}`;
}

/** `owner/repository@<sha>`; undefined for anything else. */
export function readCommitAddress(text: string): CommitAddress | undefined {
  const [, name = '', sha = ''] = COMMIT.exec(text) ?? [];
  const repository = readRepository(name);
  return repository && { ...repository, sha };
}

/** The thread of the comments on one line. */
export function lineThread(address: string, { path, position }: CommitLine): string {
  return `${address}:line:${position}:${path}`;
}

/** The line of a thread; undefined for the commit as a whole. */
export function readLineThread(thread: string): (CommitLine & { address: string }) | undefined {
  const [, address, position, path] = LINE.exec(thread) ?? [];
  return address === undefined || path === undefined ? undefined : { address, path, position: Number(position) };
}
