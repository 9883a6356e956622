import { createEgress } from '#libs/egress';
import { readFile } from 'node:fs/promises';
import type { RemoteCalls } from './remote-key.js';

export interface TransitKey {
  /** Address of an OpenBao or HashiCorp Vault, for instance `https://openbao.example.com:8200`. */
  address: string;
  /** Name of an `aes256-gcm96` or `chacha20-poly1305` key, which take associated data. */
  key: string;
  /** Mount path of the transit engine. Default `transit`. */
  mount?: string;
  namespace?: string;
  auth:
    | { token_file: string }
    | {
        kubernetes: {
          role: string;
          /** Default `kubernetes`. */
          mount?: string;
          /** Default: the ServiceAccount's token. */
          token_file?: string;
        };
      };
}

const maxAnswerBytes = 64 * 1024;
const serviceAccountToken = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/** The answer of its routes, as far as it is read. No field is assumed to be present. */
interface TransitAnswer {
  errors?: unknown;
  auth?: { client_token?: unknown };
  data?: { ciphertext?: unknown; plaintext?: unknown };
}

/** An answer other than 200. */
class TransitError extends Error {
  override readonly name = 'TransitError';
  constructor(
    readonly status: number,
    readonly errors: string[],
  ) {
    super(`${status} ${errors.join('; ')}`);
  }
}

/**
 * The transit engine of OpenBao or HashiCorp Vault. When the token is refused, it is read again or a new login is made.
 * @see https://openbao.org/api-docs/secret/transit/
 * @param timeoutMs of one request
 */
export function transit(key: TransitKey, timeoutMs: number): RemoteCalls {
  const { address, key: name, mount = 'transit', namespace, auth } = key;
  // The operator's own address, which is usually private. Only this one may be reached.
  const egress = createEgress({ allow: [new URL(address).host], maxResponseBytes: maxAnswerBytes });
  let token: Promise<string> | undefined;

  const post = async (path: string, body: object, as?: string): Promise<TransitAnswer> => {
    const headers = {
      'content-type': 'application/json',
      'x-vault-request': 'true',
      ...(as ? { 'x-vault-token': as } : {}),
      ...(namespace ? { 'x-vault-namespace': namespace } : {}),
    };
    const url = `${address.replace(/\/$/, '')}/v1/${path}`;
    const request = { method: 'POST', headers, body: JSON.stringify(body), timeoutMs, maxRedirects: 0 };
    const { status, body: bytes } = await egress.fetch(url, request);
    const text = bytes.toString('utf8');
    const answer = (text.startsWith('{') ? JSON.parse(text) : {}) as TransitAnswer;
    if (status !== 200) throw new TransitError(status, [answer.errors ?? []].flat().map(String));
    return answer;
  };
  const logIn = async (): Promise<string> => {
    if ('token_file' in auth) return (await readFile(auth.token_file, 'utf8')).trim();
    const { role, mount: at = 'kubernetes', token_file: file = serviceAccountToken } = auth.kubernetes;
    const answer = await post(`auth/${at}/login`, { role, jwt: (await readFile(file, 'utf8')).trim() });
    return String(answer.auth?.client_token);
  };
  const call = async (method: 'encrypt' | 'decrypt', body: object): Promise<NonNullable<TransitAnswer['data']>> => {
    const used = (token ??= logIn());
    try {
      return (await post(`${mount}/${method}/${encodeURIComponent(name)}`, body, await used)).data ?? {};
    } catch (error) {
      // The next call logs in again, whatever failed.
      if (token === used) token = undefined;
      throw error;
    }
  };
  const retried: typeof call = async (method, body) => {
    const hadToken = token !== undefined;
    try {
      return await call(method, body);
    } catch (error) {
      // An expired token is refused in the same way as one without permission.
      if (hadToken && error instanceof TransitError && error.status === 403) return call(method, body);
      throw error;
    }
  };
  return {
    async wrap(plain, aad) {
      const { ciphertext } = await retried('encrypt', { plaintext: base64(plain), associated_data: base64(aad) });
      if (typeof ciphertext !== 'string') throw new Error('the answer has no ciphertext');
      return Buffer.from(ciphertext, 'utf8');
    },
    async unwrap(wrapped, aad) {
      const body = { ciphertext: wrapped.toString('utf8'), associated_data: base64(aad) };
      const { plaintext } = await retried('decrypt', body);
      if (typeof plaintext !== 'string') throw new Error('the answer has no plaintext');
      return Buffer.from(plaintext, 'base64');
    },
    isRefusalToOpen: (error) =>
      error instanceof TransitError &&
      error.status === 400 &&
      error.errors.some((text) => /message authentication failed|invalid ciphertext|unable to decrypt/i.test(text)),
  };
}

const base64 = (bytes: Buffer): string => bytes.toString('base64');
