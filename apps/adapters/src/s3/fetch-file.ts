import { headerValue, type FetchFileCall, type FetchFileResult } from '#libs/adapter-sdk';
import { keyOf, readBucketPath } from './bucket-path.js';
import { sourceFailureOf } from './s3-failure.js';
import { getFromS3, type S3Http } from './s3-request.js';
import { readStore } from './s3-store.js';

/** The bytes of one object, whole or not at all. */
export async function fetchFile(
  call: FetchFileCall,
  settings: S3Http & { maxFileBytes: number },
): Promise<FetchFileResult> {
  const store = readStore(call.credentials);
  if ('problem' in store) return { ok: false, error: 'auth_failed', message: store.problem };
  const root = readBucketPath(call.resource_path);
  const key = root && keyOf(root, call.file_path);
  if (!root || key === undefined) return { ok: false, error: 'not_found', message: 'no such path below a bucket' };
  const answer = await getFromS3(store, { bucket: root.bucket, key, maxBytes: settings.maxFileBytes }, settings);
  if ('error' in answer) return sourceFailureOf(answer);
  const type = headerValue(answer.headers, 'content-type');
  const etag = headerValue(answer.headers, 'etag')?.replaceAll('"', '');
  return {
    bytes: answer.body,
    ...(type !== undefined && { content_type: type }),
    ...(etag !== undefined && { fingerprint: etag }),
  };
}
