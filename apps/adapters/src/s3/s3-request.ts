import { headerValue, type HeaderMap } from '#libs/adapter-sdk';
import { buildQueryString, escapeUri } from '@smithy/core/protocols';
import { EgressError, type Egress } from '#libs/egress';
import type { S3Store } from './s3-store.js';
import { ERROR_BODY_BYTES, failureOfCall, failureOfStatus, type S3Failure } from './s3-failure.js';
import { signRequest } from './signature-v4.js';

export interface S3Http {
  fetch: Egress['fetch'];
  /** For one call, from connecting to the end of the answer. */
  timeoutMs: number;
}

export interface S3Answer {
  headers: HeaderMap;
  body: Buffer;
}

/** One signed GET: the answer, or why there is none. Without a bucket it asks the service, without a key the bucket. */
export async function getFromS3(
  store: S3Store,
  target: { bucket?: string; key?: string; query?: Record<string, string>; maxBytes: number },
  http: S3Http,
): Promise<S3Answer | S3Failure> {
  const { bucket, key } = target;
  const inHost = bucket !== undefined && !store.pathStyle;
  const host = inHost ? `${bucket}.${store.endpoint.host}` : store.endpoint.host;
  const segments = [...(bucket !== undefined && !inHost ? [bucket] : []), ...(key?.split('/') ?? [])];
  const path = `/${segments.map(escapeUri).join('/')}`;
  const { query = {} } = target;
  const signed = await signRequest(
    { method: 'GET', host, path, query },
    { keys: store.keys, region: store.region, now: new Date() },
  );
  const search = buildQueryString(query);
  try {
    const answer = await http.fetch(`${store.endpoint.protocol}//${host}${path}${search === '' ? '' : `?${search}`}`, {
      // A compressed transfer could not be distinguished from a compressed object.
      headers: { ...signed, 'accept-encoding': 'identity' },
      timeoutMs: http.timeoutMs,
      // An error's body is read whole, even if only a small file is requested.
      maxResponseBytes: Math.max(target.maxBytes, ERROR_BODY_BYTES),
      // A signature holds for one host; a redirect means another region.
      maxRedirects: 0,
    });
    const body = Buffer.from(answer.body);
    if (answer.status !== 200) {
      return failureOfStatus(answer.status, body, headerValue(answer.headers, 'retry-after'));
    }
    return answer.truncated || body.length > target.maxBytes
      ? { ok: false, error: 'too_large', message: `the answer has more than ${target.maxBytes} bytes` }
      : { headers: answer.headers, body };
  } catch (error) {
    if (error instanceof EgressError) return failureOfCall(error);
    throw error;
  }
}
