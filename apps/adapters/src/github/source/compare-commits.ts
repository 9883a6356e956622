import type { ChangeRecord, Credentials, JsonObject, SourceFailure } from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../../provider-calls/json-fields.js';
import { callGithub } from '../api/call-github.js';
import type { GithubSettings } from '../api/github-api.js';
import { pathInside, repositoryUrl, type ResourcePath } from './resource-path.js';
import { isTooLarge, sourceFailure } from './source-failure.js';

/** GitHub lists no more changed files than this. */
const MAX_FILES = 300;
/** The patches come with the files and cannot be excluded. */
const MAX_COMPARISON_BYTES = 64 * 1024 * 1024;

/**
 * The changes from one commit to the other. Incomplete when GitHub lists only some of the files, or when the older
 * commit is no ancestor of the newer one: GitHub then compares with their common ancestor.
 */
export async function compareCommits(
  resource: ResourcePath,
  { base, head }: { base: string; head: string },
  credentials: Credentials,
  settings: GithubSettings,
): Promise<{ complete: boolean; changes: ChangeRecord[] } | SourceFailure> {
  const path = `${repositoryUrl(resource)}/compare/${base}...${head}?per_page=1`;
  const answer = await callGithub(path, { maxAnswerBytes: MAX_COMPARISON_BYTES }, credentials, settings);
  if (!answer.ok) {
    // The head was found a moment ago, so it is the cursor's commit that is gone.
    if (answer.error === 'not_found')
      return { ok: false, error: 'cursor_expired', message: 'the commit no longer exists' };
    return isTooLarge(answer) ? { complete: false, changes: [] } : sourceFailure(answer);
  }
  const { status, files } = objectOf(answer.body);
  const listed = objectsOf(files);
  const complete = (status === 'ahead' || status === 'identical') && listed.length < MAX_FILES;
  return { complete, changes: listed.flatMap(changesOf).flatMap((change) => inside(resource.folder, change)) };
}

function changesOf(file: JsonObject): ChangeRecord[] {
  const [path, fingerprint, previous] = [textOf(file.filename), textOf(file.sha), textOf(file.previous_filename)];
  if (path === undefined || fingerprint === undefined) return [];
  switch (file.status) {
    case 'added':
    case 'copied':
      return [{ path, fingerprint, status: 'added' }];
    case 'removed':
      return [{ path, fingerprint: null, status: 'removed' }];
    case 'modified':
    case 'changed':
      return [{ path, fingerprint, status: 'modified' }];
    case 'renamed': {
      const gone: ChangeRecord[] =
        previous === undefined ? [] : [{ path: previous, fingerprint: null, status: 'removed' }];
      return [...gone, { path, fingerprint, status: 'added' }];
    }
    default:
      return [];
  }
}

function inside(folder: string, change: ChangeRecord): ChangeRecord[] {
  const path = pathInside(folder, change.path);
  return path === undefined ? [] : [{ ...change, path }];
}
