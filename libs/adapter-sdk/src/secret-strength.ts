import { isGuessable } from './guessable-secrets.js';
import { refuseWebhook, type VerifyWebhookResult } from './webhook-verification.js';

/** One secret, or several that are valid during a rotation; the first one signs. */
export type SecretInput = string | readonly string[];

/** The usable secrets in a credential field: non-empty strings. An empty array means that none is set. */
export function secretList(value: unknown): string[] {
  const candidates: unknown[] = Array.isArray(value) ? value : [value];
  return candidates.filter((entry): entry is string => typeof entry === 'string' && entry !== '');
}

/** The shortest secret that NIST SP 800-63B lets people choose; what providers issue is longer. */
export const MIN_SECRET_BYTES = 8;
/** 128 bits. The Standard Webhooks specification asks for 24 to 64 bytes, and some senders use 16. */
export const MIN_STANDARD_WEBHOOKS_KEY_BYTES = 16;

/** How the key is made of the secret: its UTF-8 bytes, or base64 with or without `whsec_`. */
export type SecretForm = 'text' | 'standard-webhooks';

const PREFIX = 'whsec_';
const guessed = 'is among the first that anybody tries: take a random one, such as openssl rand -hex 32 prints';
/** Characters that nobody sees, and that a copied value may carry. */
export const INVISIBLE = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/u;
const invisible = new RegExp(INVISIBLE.source, 'gu');

/**
 * Why a secret cannot protect, in words that do not quote it; null when it can. An empty key, and one of zero bytes only,
 * make the same HMAC as no key at all: anybody can sign with it. So can anybody with a word that comes to everyone's mind.
 */
export function secretWeakness(secret: string, form: SecretForm = 'text'): string | null {
  return form === 'text' ? weaknessOfText(secret) : weaknessOfBase64(secret);
}

/** The secrets in a credential field that can protect. */
export function strongSecrets(value: unknown, form: SecretForm = 'text'): string[] {
  return secretList(value).filter((secret) => secretWeakness(secret, form) === null);
}

/** Answers a webhook that cannot be checked, because no secret of the field can protect. */
export function refuseUnprotected(field: string, value: unknown, form: SecretForm = 'text'): VerifyWebhookResult {
  const [secret] = secretList(value);
  return secret === undefined
    ? refuseWebhook('not_configured', `${field} is not set`)
    : refuseWebhook('weak_secret', `${field} ${secretWeakness(secret, form) ?? 'cannot protect'}`);
}

/** The bytes of base64 or base64url, padded or not, with or without `whsec_`; null when it is neither. */
export function base64Key(secret: string): Buffer | null {
  const text = secret.trim();
  const encoded = text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text;
  return encoded === '' || isBase64(encoded) ? Buffer.from(encoded, 'base64') : null;
}

/** True for base64 and base64url, padded or unpadded. */
export function isBase64(text: string): boolean {
  const unpadded = text.replace(/={1,2}$/, '');
  if (!/^(?:[A-Za-z0-9+/]+|[A-Za-z0-9_-]+)$/.test(unpadded) || unpadded.length % 4 === 1) return false;
  return unpadded === text || text.length % 4 === 0;
}

function weaknessOfText(secret: string): string | null {
  const text = secret.replace(invisible, '').trim().replace(/\0+$/, '');
  if (text === '') return 'is empty';
  if (!/[\p{L}\p{N}]/u.test(text)) return 'has neither a letter nor a digit: it is no secret, but what hides one';
  const bytes = Buffer.byteLength(text);
  if (bytes < MIN_SECRET_BYTES) return `has ${bytes} bytes: at least ${MIN_SECRET_BYTES} are needed`;
  return isGuessable(text) ? guessed : null;
}

function weaknessOfBase64(secret: string): string | null {
  const key = base64Key(secret);
  if (!key) return 'is not base64';
  const bytes = significantBytes(key);
  if (bytes === 0) return 'decodes to no bytes';
  if (bytes < MIN_STANDARD_WEBHOOKS_KEY_BYTES) {
    return `decodes to ${bytes} bytes: at least ${MIN_STANDARD_WEBHOOKS_KEY_BYTES} are needed`;
  }
  const text = key.toString('latin1');
  return /^[ -~]+$/.test(text) && isGuessable(text) ? guessed : null;
}

/** HMAC fills a key up with zero bytes, so those at its end add nothing. */
function significantBytes(key: Buffer): number {
  let length = key.length;
  while (length > 0 && key[length - 1] === 0) length -= 1;
  return length;
}
