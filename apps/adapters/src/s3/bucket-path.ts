import { isContainedPath } from '#libs/adapter-sdk';

/** The root of a source: a bucket, or one of its "folders". */
export interface BucketPath {
  bucket: string;
  /** Empty, or with a trailing `/`. */
  prefix: string;
}

/** Maximum length of a key in UTF-8 bytes. Source: Amazon S3 User Guide, object key names. */
const MAX_KEY_BYTES = 1024;

/** Reads `bucket`, `bucket/folder` or `s3://bucket/folder`; undefined when it is none of these. */
export function readBucketPath(resourcePath: string): BucketPath | undefined {
  const [bucket = '', ...folders] = resourcePath.replace(/^s3:\/\//, '').split('/');
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || bucket.includes('..')) return undefined;
  const folder = folders.join('/').replace(/\/$/, '');
  if (folder === '') return { bucket, prefix: '' };
  return isContainedPath(folder) ? { bucket, prefix: `${folder}/` } : undefined;
}

/** The key of a file below the root; undefined for a path that would leave it or that cannot be a key. */
export function keyOf(root: BucketPath, filePath: string): string | undefined {
  const key = root.prefix + filePath;
  return isContainedPath(filePath) && Buffer.byteLength(key) <= MAX_KEY_BYTES ? key : undefined;
}
