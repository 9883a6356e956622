import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';

export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
  /** For temporary keys. */
  sessionToken?: string;
}

/** A request without a body, to be signed. `headers` are lower-case and are all signed. */
export interface UnsignedRequest {
  method: 'GET' | 'HEAD';
  host: string;
  /** As it is sent: S3 signs the path encoded once, unlike other services. */
  path: string;
  query: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
}

/** The headers that sign a request. Source: AWS General Reference, Signature Version 4. */
export async function signRequest(
  { method, host, path, query, headers }: UnsignedRequest,
  { keys, region, now }: { keys: AwsKeys; region: string; now: Date },
): Promise<Record<string, string>> {
  const signer = new SignatureV4({ service: 's3', region, credentials: keys, sha256: Sha256, uriEscapePath: false });
  const signed = await signer.sign(
    { protocol: 'https:', hostname: host, method, path, query: { ...query }, headers: { ...headers, host } },
    { signingDate: now },
  );
  return signed.headers;
}
