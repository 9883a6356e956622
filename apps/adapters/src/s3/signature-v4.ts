import { createHash, createHmac } from 'node:crypto';

export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
  /** Of temporary keys. */
  sessionToken?: string;
}

/** A request without a body, to be signed. `headers` are lower-case and are all signed. */
export interface UnsignedRequest {
  method: 'GET' | 'HEAD';
  host: string;
  /** Already encoded, each byte but unreserved ones and `/` as `%XX`. */
  path: string;
  query: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
}

const EMPTY_BODY_SHA256 = createHash('sha256').update('').digest('hex');

/**
 * The headers that sign a request, and its query as it has to be sent. Source: AWS General Reference, Signature Version 4;
 * S3 encodes a path once, unlike other services.
 */
export function signRequest(
  request: UnsignedRequest,
  { keys, region, now, service = 's3' }: { keys: AwsKeys; region: string; now: Date; service?: string },
): { headers: Record<string, string>; query: string } {
  const time = now.toISOString().replace(/[-:]|\.\d{3}/g, '');
  const date = time.slice(0, 8);
  const headers: Record<string, string> = {
    ...request.headers,
    host: request.host,
    'x-amz-content-sha256': EMPTY_BODY_SHA256,
    'x-amz-date': time,
    ...(keys.sessionToken !== undefined && { 'x-amz-security-token': keys.sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const signed = names.join(';');
  const query = canonicalQuery(request.query);
  const canonical = [
    request.method,
    request.path,
    query,
    ...names.map((name) => `${name}:${(headers[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    signed,
    EMPTY_BODY_SHA256,
  ].join('\n');
  const scope = `${date}/${region}/${service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n');
  const key = [date, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${keys.secretAccessKey}`);
  const signature = hmac(key, toSign).toString('hex');
  headers.authorization = `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope},SignedHeaders=${signed},Signature=${signature}`;
  return { headers, query };
}

/** Percent-encoding of RFC 3986: everything but letters, digits and `-._~`. */
export function encodeRfc3986(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function canonicalQuery(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([name, value]) => `${encodeRfc3986(name)}=${encodeRfc3986(value)}`)
    .sort()
    .join('&');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
