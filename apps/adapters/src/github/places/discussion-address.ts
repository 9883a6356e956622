import { type Repository, readRepository } from './issue-address.js';

export interface DiscussionAddress extends Repository {
  number: number;
}

const DISCUSSION = /^([^/]{1,100}\/[^/]{1,100})\/discussions\/([1-9]\d{0,8})$/;
const REPLY = /^(.*):reply:([1-9]\d{0,18})$/;

export function writeDiscussionAddress(repository: string, number: string): string {
  return `${repository}/discussions/${number}`;
}

/** `owner/repository/discussions/12`; undefined for anything else. */
export function readDiscussionAddress(text: string): DiscussionAddress | undefined {
  const [, name = '', number = ''] = DISCUSSION.exec(text) ?? [];
  const repository = readRepository(name);
  return repository && { ...repository, number: Number(number) };
}

/** The thread of a comment on a discussion and of the replies to it. */
export function replyThread(address: string, comment: string): string {
  return `${address}:reply:${comment}`;
}

/** The comment that a thread begins with; undefined for the discussion itself. */
export function readReplyThread(thread: string): { address: string; comment: string } | undefined {
  const [, address, comment] = REPLY.exec(thread) ?? [];
  return address === undefined || comment === undefined ? undefined : { address, comment };
}
