import { createHash } from 'node:crypto';
import { importPKCS8, SignJWT } from 'jose';
import { ModelError } from './model.js';
import type { Fetch } from './model-fetch.js';
import type { ProviderKey } from './provider-kind.js';

const googleTokens = 'https://oauth2.googleapis.com/token';
const scope = 'https://www.googleapis.com/auth/cloud-platform';
const lifeSeconds = 3_600;
/** A token is replaced so long before its end. */
const spareMs = 60_000;
const maxKept = 1_000;

/** Tokens by the digest of what they were given for. */
const kept = new Map<string, { token: string; untilMs: number }>();

/**
 * An access token for Vertex by the JWT grant of a service account (RFC 7523), kept until it ends. Google's own library
 * does the same, past the egress guard.
 * @throws ModelError `model_unauthorized` without a usable service account
 */
export async function vertexToken(key: ProviderKey, fetch: Fetch): Promise<string> {
  if (key['access_token'] !== undefined) return key['access_token'];
  const account = accountOf(key);
  const name = createHash('sha256').update(JSON.stringify(account)).digest('hex');
  const known = kept.get(name);
  if (known && known.untilMs > Date.now()) return known.token;
  const response = await fetch(account.tokenUri, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: await assertionOf(account),
    }).toString(),
  });
  if (response.status >= 500 || response.status === 429)
    throw new ModelError('model_unavailable', `the token endpoint answered ${response.status}`);
  const { access_token: token, expires_in: seconds } = (await response.json().catch(() => ({}))) as Record<
    string,
    unknown
  >;
  if (!response.ok || typeof token !== 'string')
    throw refused(`the token endpoint answered ${response.status} to the service account`);
  if (kept.size >= maxKept) kept.clear();
  kept.set(name, { token, untilMs: Date.now() + (Number(seconds) || lifeSeconds) * 1_000 - spareMs });
  return token;
}

interface Account {
  email: string;
  privateKey: string;
  tokenUri: string;
}

/** From the JSON file that Google gives, or from its fields. */
function accountOf(key: ProviderKey): Account {
  const file = key['service_account'] === undefined ? key : fileOf(key['service_account']);
  const { client_email: email, private_key: privateKey, token_uri: tokenUri } = file;
  if (typeof email !== 'string' || typeof privateKey !== 'string')
    throw refused('the service account has no client_email or no private_key');
  // Pasted from JSON, its line ends are still escaped.
  const pem = privateKey.replaceAll('\\n', '\n');
  return { email, privateKey: pem, tokenUri: typeof tokenUri === 'string' ? tokenUri : googleTokens };
}

function fileOf(text: string): Record<string, unknown> {
  try {
    const file: unknown = JSON.parse(text);
    return typeof file === 'object' && file !== null ? (file as Record<string, unknown>) : {};
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refused('the service account is not JSON');
  }
}

async function assertionOf({ email, privateKey, tokenUri }: Account): Promise<string> {
  const key = await importPKCS8(privateKey, 'RS256').catch((cause: unknown) => {
    throw refused('the private key of the service account cannot be read', { cause });
  });
  const now = Math.floor(Date.now() / 1_000);
  return new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    .setIssuer(email)
    .setAudience(tokenUri)
    .setIssuedAt(now)
    .setExpirationTime(now + lifeSeconds)
    .sign(key);
}

function refused(message: string, options?: ErrorOptions): ModelError {
  return new ModelError('model_unauthorized', message, { ...options, blame: 'key' });
}
