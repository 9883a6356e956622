import type { BucketPath } from './bucket-path.js';
import type { S3Failure } from './s3-failure.js';
import { getFromS3, type S3Http } from './s3-request.js';
import type { S3Store } from './s3-store.js';
import { elementsOf, parseXml, textOf } from './s3-xml.js';

export interface ListedObject {
  key: string;
  /** Without its quotes. */
  etag: string;
}

export interface ObjectPage {
  objects: ListedObject[];
  /** Whether more keys follow. */
  truncated: boolean;
}

/** A thousand entries with keys of maximum length, each byte encoded. */
const MAX_LISTING_BYTES = 8 * 1024 * 1024;

/**
 * One page of `ListObjectsV2`, in key order. It starts after a key rather than at a continuation token: the platform
 * keeps cursors for days, and a key never expires.
 */
export async function listObjects(
  store: S3Store,
  { bucket, prefix }: BucketPath,
  { after, pageSize }: { after: string; pageSize: number },
  http: S3Http,
): Promise<ObjectPage | S3Failure> {
  const query = {
    'list-type': '2',
    // XML cannot represent every character of a key.
    'encoding-type': 'url',
    'max-keys': String(pageSize),
    ...(prefix !== '' && { prefix }),
    ...(after !== '' && { 'start-after': after }),
  };
  const answer = await getFromS3(store, { bucket, query, maxBytes: MAX_LISTING_BYTES }, http);
  if ('error' in answer) return answer;
  const xml = parseXml(answer.body.toString('utf8'));
  if (elementsOf(xml, 'ListBucketResult').length === 0) {
    return { ok: false, error: 'provider_unavailable', message: 'the answer of the store is not a listing' };
  }
  const encoded = textOf(xml, 'EncodingType') === 'url';
  const objects = elementsOf(xml, 'Contents').map((element) => {
    const key = textOf(element, 'Key') ?? '';
    return {
      key: encoded ? decodeKey(key) : key,
      etag: (textOf(element, 'ETag') ?? '').replaceAll('"', ''),
    };
  });
  return { objects, truncated: textOf(xml, 'IsTruncated') === 'true' && objects.length > 0 };
}

function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', '%20'));
  } catch (error) {
    // The store says that it encodes and does not: the key is taken as it is.
    if (error instanceof URIError) return key;
    throw error;
  }
}
