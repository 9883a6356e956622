/** A repository, validated: its parts become part of a URL. */
export interface Repository {
  owner: string;
  repo: string;
}

/** An issue or a pull request; both share one numbering. */
export interface IssueAddress extends Repository {
  number: string;
}

const REPOSITORY = /^([A-Za-z0-9_-]{1,100})\/([A-Za-z0-9._-]{1,100})$/;
const ISSUE = /^([^#]{3,201})#([1-9]\d{0,9})$/;
const REVIEW = /^(.*):review:([1-9]\d{0,18})$/;

/** `owner/repository`; undefined for anything else. */
export function readRepository(text: string): Repository | undefined {
  const [, owner = '', repo = ''] = REPOSITORY.exec(text) ?? [];
  return owner === '' || repo === '.' || repo === '..' ? undefined : { owner, repo };
}

/** `owner/repository#12`; undefined for anything else. */
export function readIssueAddress(text: string): IssueAddress | undefined {
  const [, name = '', number = ''] = ISSUE.exec(text) ?? [];
  const repository = readRepository(name);
  return repository && { ...repository, number };
}

/** The thread of a review comment, named after its first comment. */
export function reviewThread(address: string, rootComment: string): string {
  return `${address}:review:${rootComment}`;
}

/** The first comment of a review thread; undefined for the conversation of the issue itself. */
export function readReviewThread(thread: string): { address: string; rootComment: string } | undefined {
  const [, address, rootComment] = REVIEW.exec(thread) ?? [];
  return address === undefined || rootComment === undefined ? undefined : { address, rootComment };
}
