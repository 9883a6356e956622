import type { WrappingKey } from '../wrapping-key.js';
import { type AwsKmsKey, awsKms } from './aws-kms.js';
import { type AzureKeyVaultKey, azureKeyVault } from './azure-key-vault.js';
import { type GoogleKmsKey, googleKms } from './google-kms.js';
import { type RemoteCalls, RemoteKey } from './remote-key.js';
import { transit, type TransitKey } from './transit.js';

type Fields = Record<string, unknown>;

/** A service by its name in the setting: its required fields, and how to connect to it. */
interface Service {
  needs: (fields: Fields) => string | null;
  connect: (fields: Fields, timeoutMs: number) => Promise<RemoteCalls>;
}

/** @param needs validates what `connect` receives: its fields are those of `Key` */
const service = <Key>(
  needs: Service['needs'],
  connect: (key: Key, timeoutMs: number) => Promise<RemoteCalls>,
): Service => ({ needs, connect: (fields, timeoutMs) => connect(fields as Key, timeoutMs) });

const services = new Map<string, Service>([
  [
    'aws_kms',
    service<AwsKmsKey>(
      (fields) => texts(fields, ['key_id'], ['region']),
      (key) => awsKms(key),
    ),
  ],
  [
    'google_kms',
    service<GoogleKmsKey>(
      (fields) => texts(fields, ['name'], ['endpoint']) ?? httpsOf(fields['endpoint']),
      (key) => googleKms(key),
    ),
  ],
  [
    'azure_key_vault',
    service<AzureKeyVaultKey>(
      (fields) => texts(fields, ['key_id'], []) ?? httpsOf(fields['key_id']),
      (key) => azureKeyVault(key),
    ),
  ],
  [
    'transit',
    service<TransitKey>(
      (fields) =>
        texts(fields, ['address', 'key'], ['mount', 'namespace'], ['auth']) ??
        httpsOf(fields['address']) ??
        transitAuth(fields),
      async (key, timeoutMs) => transit(key, timeoutMs),
    ),
  ],
]);

/**
 * Reads a key that stays in a key management service: `{"aws_kms": {"key_id": "arn:…"}}`, and so on.
 * @throws Error that says what is wrong with it
 */
export function readRemoteKey(kid: string, value: unknown, timeoutMs: number): WrappingKey {
  const wrong = (what: string): Error => new Error(`GATEHOUSE_KEK_RING: the key ${kid} ${what}`);
  const [entry, ...more] = Object.entries(isFields(value) ? value : {});
  const [name, fields] = entry ?? [];
  const found = name === undefined || more.length > 0 ? undefined : services.get(name);
  if (!found) {
    throw wrong(`is neither the base64 form of 32 bytes nor one of {${[...services.keys()].join(', ')}: {…}}`);
  }
  if (!isFields(fields)) throw wrong(`must have an object as ${name}`);
  const missing = found.needs(fields);
  if (missing) throw wrong(`in ${name}: ${missing}`);
  return new RemoteKey(kid, () => found.connect(fields, timeoutMs), timeoutMs);
}

function texts(fields: Fields, needed: string[], optional: string[], others: string[] = []): string | null {
  const unknown = Object.keys(fields).find((name) => ![...needed, ...optional, ...others].includes(name));
  if (unknown !== undefined) return `${unknown} is not known`;
  for (const name of [...needed, ...optional]) {
    const value = fields[name];
    if (value === undefined && optional.includes(name)) continue;
    if (typeof value !== 'string' || value === '') return `${name} must be a string`;
  }
  return null;
}

/** Key services are never called without TLS, except on this machine. */
function httpsOf(value: unknown): string | null {
  if (value === undefined) return null;
  const url = typeof value === 'string' ? URL.parse(value) : null;
  const isLocal = url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  return url?.protocol === 'https:' || isLocal ? null : 'its address must be an https URL';
}

function transitAuth({ auth }: Fields): string | null {
  if (isFields(auth) && typeof auth['token_file'] === 'string') return texts(auth, ['token_file'], []);
  if (isFields(auth) && isFields(auth['kubernetes']))
    return texts(auth['kubernetes'], ['role'], ['mount', 'token_file']);
  return 'auth must be {"token_file": path} or {"kubernetes": {"role": name}}';
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
