import { isContainedPath } from '#libs/adapter-sdk';
import { readRepository, type Repository } from '../places/issue-address.js';

/** A folder of a repository at a branch, tag or commit. */
export interface ResourcePath extends Repository {
  /** `HEAD` is the default branch. */
  ref: string;
  /** Without leading or trailing slashes; empty for the whole repository. */
  folder: string;
}

/** `owner/repository[@ref][:folder]`, such as `octo/handbook@main:guides`; undefined for anything else. */
export function readResourcePath(text: string): ResourcePath | undefined {
  const [, name = '', ref = 'HEAD', written = ''] =
    /^([^@:]{3,201})(?:@([^:]{1,255}))?(?::(.{0,1000}))?$/.exec(text) ?? [];
  const repository = readRepository(name);
  const folder = written.replaceAll(/^\/+|\/+$/g, '');
  // The rules of git check-ref-format that matter in a URL.
  const isRef = /^[^\s~^?*[\\]+$/.test(ref) && !ref.includes('..') && !ref.startsWith('/') && !ref.endsWith('/');
  if (!repository || !isRef || (folder !== '' && !isContainedPath(folder))) return undefined;
  return { ...repository, ref, folder };
}

/** The path inside the folder; undefined when it lies outside. */
export function pathInside(folder: string, path: string): string | undefined {
  if (folder === '') return path;
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}

/** The URL of the repository in the API. */
export function repositoryUrl({ owner, repo }: Repository): string {
  return `/repos/${owner}/${repo}`;
}

/** A ref or a path as part of a URL: its slashes stay, everything else is escaped. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
