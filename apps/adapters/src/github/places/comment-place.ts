import type { Credentials, DeliverFailure, JsonObject } from '#libs/adapter-sdk';
import { objectsOf } from '../../provider-calls/json-fields.js';
import { callGithub } from '../api/call-github.js';
import type { GithubSettings } from '../api/github-api.js';

/** With which token, where. */
export interface Access {
  credentials: Credentials;
  settings: GithubSettings;
}

export type Posted = { ok: true; comment: unknown } | DeliverFailure;
export type Listed = { ok: true; comments: JsonObject[] } | DeliverFailure;

/** Where comments are written and read: an issue or a pull request, a commit, or a discussion. */
export interface CommentPlace {
  /** `owner/repository`. */
  repository: string;
  post(body: string): Promise<Posted>;
  /** Lists that have the comments of the last quarter of an hour. */
  recent: (() => Promise<Listed>)[];
  /** The address of the place when its repository has another name. */
  inRepository(name: string): string;
}

/** The place of an address and of a thread in it; undefined when the address is of another kind. */
export type MakePlace = (
  address: string,
  thread: string | undefined,
  access: Access,
) => CommentPlace | 'other_thread' | undefined;

const PAGE_LENGTH = 100;
/** A hundred comments of GitHub's maximum size. */
export const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

export async function postComment(path: string, json: JsonObject, access: Access): Promise<Posted> {
  const answer = await callGithub(path, { method: 'POST', json }, access.credentials, access.settings);
  return answer.ok ? { ok: true, comment: answer.body } : answer;
}

export async function listComments(path: string, query: string, access: Access): Promise<Listed> {
  const url = `${path}?${query}per_page=${PAGE_LENGTH}`;
  const answer = await callGithub(url, { maxAnswerBytes: MAX_ANSWER_BYTES }, access.credentials, access.settings);
  return answer.ok ? { ok: true, comments: objectsOf(answer.body) } : answer;
}
