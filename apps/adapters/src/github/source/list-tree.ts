import type { ChangeRecord, Credentials, JsonObject, SourceFailure } from '#libs/adapter-sdk';
import { objectOf, objectsOf, textOf } from '../../provider-calls/json-fields.js';
import { callGithub } from '../api/call-github.js';
import type { GithubSettings } from '../api/github-api.js';
import { repositoryUrl, type ResourcePath } from './resource-path.js';
import { sourceFailure } from './source-failure.js';

/** GitHub cuts a recursive tree at 7 MB or 100,000 entries. */
const MAX_TREE_BYTES = 32 * 1024 * 1024;
/** Trees of one listing. A repository that needs more is not listed in part, since a gap would read as deletions. */
const MAX_TREES = 500;

interface Tree {
  entries: JsonObject[];
  truncated: boolean;
}

/** Every file of the folder at a commit. A tree that GitHub truncates is walked folder by folder. */
export async function listTree(
  resource: ResourcePath,
  commit: string,
  credentials: Credentials,
  settings: GithubSettings,
): Promise<{ changes: ChangeRecord[] } | SourceFailure> {
  let left = MAX_TREES;
  const changes: ChangeRecord[] = [];
  const root = await folderTree(resource, commit, read);
  if (typeof root !== 'string') return root;
  const open = [{ sha: root, prefix: '' }];
  for (let next = open.pop(); next; next = open.pop()) {
    const whole = await read(next.sha, true);
    if ('error' in whole) return whole;
    const tree = whole.truncated ? await read(next.sha, false) : whole;
    if ('error' in tree) return tree;
    if (tree.truncated) return tooMany('a folder of the repository has too many entries to be listed');
    for (const { path, sha, type, mode } of tree.entries) {
      const [name, fingerprint] = [textOf(path), textOf(sha)];
      if (name === undefined || fingerprint === undefined) continue;
      if (type === 'tree' && whole.truncated) open.push({ sha: fingerprint, prefix: `${next.prefix}${name}/` });
      // A link points elsewhere, a submodule into another repository.
      if (type !== 'blob' || mode === '120000') continue;
      changes.push({ path: next.prefix + name, fingerprint, status: 'added' });
    }
  }
  return { changes };

  async function read(sha: string, recursive: boolean): Promise<Tree | SourceFailure> {
    if (left-- <= 0)
      return tooMany(`the repository has more than ${MAX_TREES} folders that GitHub does not list at once`);
    const path = `${repositoryUrl(resource)}/git/trees/${sha}${recursive ? '?recursive=1' : ''}`;
    const answer = await callGithub(path, { maxAnswerBytes: MAX_TREE_BYTES }, credentials, settings);
    if (!answer.ok) return sourceFailure(answer);
    const { tree, truncated } = objectOf(answer.body);
    return { entries: objectsOf(tree), truncated: truncated === true };
  }
}

/** The tree of the folder itself: walks down from the commit, one name at a time. */
async function folderTree(
  { folder }: ResourcePath,
  commit: string,
  read: (sha: string, recursive: boolean) => Promise<Tree | SourceFailure>,
): Promise<string | SourceFailure> {
  let sha = commit;
  for (const name of folder === '' ? [] : folder.split('/')) {
    const tree = await read(sha, false);
    if ('error' in tree) return tree;
    const found = textOf(tree.entries.find(({ path, type }) => path === name && type === 'tree')?.sha);
    if (found === undefined) return { ok: false, error: 'not_found', message: 'the folder is not in the repository' };
    sha = found;
  }
  return sha;
}

function tooMany(message: string): SourceFailure {
  return { ok: false, error: 'too_large', message };
}
