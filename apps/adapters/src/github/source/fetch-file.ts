import type { FetchFileCall, FetchFileResult, JsonObject, SourceFailure } from '#libs/adapter-sdk';
import { isContainedPath } from '#libs/adapter-sdk';
import { objectOf, textOf } from '../../provider-calls/json-fields.js';
import { callGithub } from '../api/call-github.js';
import type { GithubSettings } from '../api/github-api.js';
import { GITHUB_MAX_FILE_BYTES } from '../github.manifest.js';
import { encodePath, readResourcePath, repositoryUrl, type ResourcePath } from './resource-path.js';
import { sourceFailure } from './source-failure.js';

/** Room for a file as base64 with line breaks, and for the JSON around it. */
const MAX_ANSWER_BYTES = Math.ceil(GITHUB_MAX_FILE_BYTES * 1.4) + 64 * 1024;

/** The bytes of a file of any type. Contents over 1 MB come from its blob. */
export async function fetchFile(call: FetchFileCall, settings: GithubSettings): Promise<FetchFileResult> {
  const resource = readResourcePath(call.resource_path);
  if (!resource || !isContainedPath(call.file_path)) return failure('not_found', 'the path does not exist');
  const entry = await read(contentsPath(resource, call.file_path), call, settings);
  if ('error' in entry) return entry;
  const { type, size, sha, encoding, content, target } = entry.fields;
  const fingerprint = textOf(sha);
  if (type !== 'file' || target !== undefined || fingerprint === undefined) {
    return failure('not_found', 'the path is not that of a file');
  }
  if (typeof size === 'number' && size > GITHUB_MAX_FILE_BYTES) {
    return failure('too_large', `the file is larger than ${GITHUB_MAX_FILE_BYTES} bytes`);
  }
  if (encoding === 'base64' && typeof content === 'string' && (content !== '' || size === 0)) {
    return { bytes: Buffer.from(content, 'base64'), fingerprint };
  }
  const blob = await read(`${repositoryUrl(resource)}/git/blobs/${encodeURIComponent(fingerprint)}`, call, settings);
  if ('error' in blob) return blob;
  const { content: blobContent, encoding: blobEncoding } = blob.fields;
  if (typeof blobContent !== 'string') return failure('not_found', 'the blob of the file has no content');
  return { bytes: Buffer.from(blobContent, blobEncoding === 'utf-8' ? 'utf8' : 'base64'), fingerprint };
}

function contentsPath(resource: ResourcePath, file: string): string {
  const path = resource.folder === '' ? file : `${resource.folder}/${file}`;
  const ref = resource.ref === 'HEAD' ? '' : `?ref=${encodeURIComponent(resource.ref)}`;
  return `${repositoryUrl(resource)}/contents/${encodePath(path)}${ref}`;
}

async function read(
  path: string,
  { credentials }: FetchFileCall,
  settings: GithubSettings,
): Promise<{ fields: JsonObject } | SourceFailure> {
  const answer = await callGithub(path, { maxAnswerBytes: MAX_ANSWER_BYTES }, credentials, settings);
  return answer.ok ? { fields: objectOf(answer.body) } : sourceFailure(answer);
}

function failure(error: SourceFailure['error'], message: string): SourceFailure {
  return { ok: false, error, message };
}
