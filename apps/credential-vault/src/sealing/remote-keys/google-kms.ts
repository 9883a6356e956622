import type { AuthClient } from 'google-auth-library';
import type { RemoteCalls } from './remote-key.js';

export interface GoogleKmsKey {
  /** `projects/P/locations/L/keyRings/R/cryptoKeys/K`, a symmetric encryption key. */
  name: string;
  /** Default `https://cloudkms.googleapis.com`; another one for Private Service Connect. */
  endpoint?: string;
}

const scope = 'https://www.googleapis.com/auth/cloudkms';

/**
 * Google Cloud KMS by its REST API, with application default credentials (workload identity, service account file).
 * @see https://cloud.google.com/kms/docs/reference/rest/v1/projects.locations.keyRings.cryptoKeys/encrypt
 */
export async function googleKms(
  { name, endpoint = 'https://cloudkms.googleapis.com' }: GoogleKmsKey,
  given?: Pick<AuthClient, 'request'>,
): Promise<RemoteCalls> {
  const { GoogleAuth } = await import('google-auth-library');
  const auth = given ?? new GoogleAuth({ scopes: [scope] });
  const call = async (
    method: 'encrypt' | 'decrypt',
    data: Record<string, string>,
  ): Promise<Record<string, unknown>> => {
    const url = `${endpoint.replace(/\/$/, '')}/v1/${name}:${method}`;
    return (await auth.request<Record<string, unknown>>({ url, method: 'POST', data, retry: true })).data;
  };
  const placed = (aad: Buffer) => ({ additionalAuthenticatedData: aad.toString('base64') });
  return {
    async wrap(plain, aad) {
      const { ciphertext } = await call('encrypt', { plaintext: plain.toString('base64'), ...placed(aad) });
      return bytesOf(ciphertext, 'ciphertext');
    },
    async unwrap(wrapped, aad) {
      const { plaintext } = await call('decrypt', { ciphertext: wrapped.toString('base64'), ...placed(aad) });
      return bytesOf(plaintext, 'plaintext');
    },
    // A disabled or deleted key also answers 400, with another status in its body.
    isRefusalToOpen: (error) => statusOf(error) === 'INVALID_ARGUMENT',
  };
}

function bytesOf(value: unknown, name: string): Buffer {
  if (typeof value !== 'string') throw new Error(`the answer has no ${name}`);
  return Buffer.from(value, 'base64');
}

function statusOf(error: unknown): unknown {
  const { response } = error as { response?: { data?: { error?: { status?: unknown } } } };
  return response?.data?.error?.status;
}
