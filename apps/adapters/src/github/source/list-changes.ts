import type { ListChangesCall, ListChangesResult, SourceFailure } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../../provider-calls/json-fields.js';
import { callGithub } from '../api/call-github.js';
import type { GithubSettings } from '../api/github-api.js';
import { compareCommits } from './compare-commits.js';
import { listTree } from './list-tree.js';
import { repositoryAccess } from './repository-access.js';
import { encodePath, readResourcePath, repositoryUrl, type ResourcePath } from './resource-path.js';
import { sourceFailure } from './source-failure.js';

/** Stands for a repository without a commit. */
const EMPTY_REPOSITORY = 'empty';
const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** A commit's answer has up to 300 changed files with their patches. */
const MAX_COMMIT_BYTES = 32 * 1024 * 1024;

/**
 * The files that changed since the commit of the cursor. All files without a cursor, and when GitHub cannot list the
 * difference (over 300 files, or a rewritten history). With them who may read the repository now.
 */
export async function listChanges(call: ListChangesCall, settings: GithubSettings): Promise<ListChangesResult> {
  const resource = readResourcePath(call.resource_path);
  if (!resource) return notFound('resource_path must be owner/repository, optionally with @ref and :folder');
  const { cursor, credentials } = call;
  if (cursor !== null && cursor !== EMPTY_REPOSITORY && !COMMIT.test(cursor)) {
    return { ok: false, error: 'cursor_expired', message: 'the cursor is not one of this source' };
  }
  const head = await headCommit(resource, call, settings);
  if (typeof head !== 'string') return head;
  const changes = await changesTo(head, resource, call, settings);
  if ('error' in changes) return changes;
  const access = await repositoryAccess(resource, credentials, settings);
  return 'error' in access ? access : { ...changes, access };
}

async function changesTo(
  head: string,
  resource: ResourcePath,
  { cursor, credentials }: ListChangesCall,
  settings: GithubSettings,
): Promise<ListChangesResult> {
  if (head === cursor) return { changes: [], cursor };
  if (head === EMPTY_REPOSITORY) return { changes: [], cursor: head, full: true };
  if (cursor !== null && cursor !== EMPTY_REPOSITORY) {
    const compared = await compareCommits(resource, { base: cursor, head }, credentials, settings);
    if ('error' in compared) return compared;
    if (compared.complete) return { changes: compared.changes, cursor: head };
  }
  const listed = await listTree(resource, head, credentials, settings);
  return 'error' in listed ? listed : { changes: listed.changes, cursor: head, full: true };
}

/** The commit that the ref points to now. */
async function headCommit(
  resource: ResourcePath,
  { credentials }: ListChangesCall,
  settings: GithubSettings,
): Promise<string | SourceFailure> {
  const path = `${repositoryUrl(resource)}/commits/${encodePath(resource.ref)}?per_page=1`;
  const answer = await callGithub(path, { maxAnswerBytes: MAX_COMMIT_BYTES }, credentials, settings);
  if (!answer.ok) {
    // 409 "Git Repository is empty."
    return answer.error_detail?.provider_status === 409 ? EMPTY_REPOSITORY : sourceFailure(answer);
  }
  const sha = textOf(objectOf(answer.body).sha);
  return sha !== undefined && COMMIT.test(sha) ? sha : notFound('the ref does not point to a commit');
}

function notFound(message: string): SourceFailure {
  return { ok: false, error: 'not_found', message };
}
