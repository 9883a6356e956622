import { constants, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import { types } from 'node:util';
import { base64Key, isBase64, secretList, secretWeakness } from '../secret-strength.js';
import type { SignatureScheme } from './declared-scheme.js';
import { hmac } from './one-shot-hmac.js';

/** A secret that can protect, and what it says of signatures. */
export interface SchemeKey {
  field: string;
  /** The secret itself, for schemes that compare it. */
  value: string;
  /** Whether it made one of the signatures over the parts, one behind the other. */
  made: (signatures: Buffer[], parts: Buffer[]) => boolean;
}

/** The keys in the fields of a credential, and whether any field is set at all. */
export function keysIn(
  declared: SignatureScheme,
  fields: Record<string, unknown>,
): { keys: SchemeKey[]; set: boolean } {
  const set = declared.secret_fields.flatMap((name) =>
    secretList(fields[name]).map((value, at) => ({ value, field: at === 0 ? name : `${name} ${at + 1}` })),
  );
  const keys = set.flatMap(({ value, field }) => {
    const made = makerOf(declared, value);
    return made ? [{ field, value, made }] : [];
  });
  return { keys, set: set.length > 0 };
}

/** Null for a secret that cannot protect: with it, anybody could sign. */
function makerOf(declared: SignatureScheme, secret: string): SchemeKey['made'] | null {
  const { scheme, algorithm = 'sha256' } = declared;
  switch (scheme) {
    case 'hmac':
    case 'standard-webhooks': {
      const key = hmacKey(declared, secret);
      if (key === null) return null;
      return (signatures, parts) => {
        const expected = hmac(scheme === 'hmac' ? algorithm : 'sha256', key, ...parts);
        return signatures.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
      };
    }
    case 'ed25519':
      return verifying(publicKey(secret, ed25519Header), 'ed25519', (key, text, one) => verify(null, text, key, one));
    case 'ecdsa-p256':
    case 'jwt-es256': {
      const dsaEncoding = scheme === 'ecdsa-p256' ? 'der' : 'ieee-p1363';
      const by = scheme === 'ecdsa-p256' ? algorithm : 'sha256';
      return verifying(publicKey(secret), 'ec', (key, text, one) => verify(by, text, { key, dsaEncoding }, one));
    }
    case 'rsa':
    case 'jwt-rs256': {
      const by = scheme === 'rsa' ? algorithm : 'sha256';
      const padding = constants.RSA_PKCS1_PADDING;
      return verifying(publicKey(secret), 'rsa', (key, text, one) => verify(by, text, { key, padding }, one));
    }
    case 'jwt-hs256': {
      if (secretWeakness(secret) !== null) return null;
      const key = Buffer.from(secret);
      return ([one], parts) => {
        const expected = hmac('sha256', key, ...parts);
        return one?.length === expected.length && timingSafeEqual(one, expected);
      };
    }
    case 'secret':
    case 'basic':
      return secretWeakness(secret) === null ? () => false : null;
  }
}

/** Null when the key cannot protect. */
export function hmacKey({ scheme, key: form = 'text' }: SignatureScheme, secret: string): Buffer | null {
  if (scheme === 'standard-webhooks') {
    return secretWeakness(secret, 'standard-webhooks') === null ? base64Key(secret) : null;
  }
  if (form === 'text') return secretWeakness(secret) === null ? Buffer.from(secret) : null;
  const text = secret.trim();
  if (form === 'hex') {
    const protects = /^(?:[0-9a-f]{2}){8,}$/i.test(text) && secretWeakness(text) === null;
    return protects ? lasting(Buffer.from(text, 'hex')) : null;
  }
  return secretWeakness(text, 'standard-webhooks') === null ? base64Key(text) : null;
}

/** Zero bytes at the end of an HMAC's key add nothing to it. */
const lasting = (key: Buffer): Buffer | null => (key.some((byte) => byte !== 0) ? key : null);

function verifying(
  key: KeyObject | null,
  type: 'ed25519' | 'ec' | 'rsa',
  check: (key: KeyObject, text: Buffer, signature: Buffer) => boolean,
): SchemeKey['made'] | null {
  if (key?.asymmetricKeyType !== type) return null;
  if (type === 'ec' && key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return null;
  return (signatures, parts) => {
    const text = Buffer.concat(parts);
    return signatures.some((one) => check(key, text, one));
  };
}

/** What the DER form of an Ed25519 public key begins with (RFC 8410); 32 bytes follow. */
const ed25519Header = Buffer.from('302a300506032b6570032100', 'hex');

/** @param raw what stands before the bytes of a key that is given without any wrapping, in hex or base64 */
function publicKey(text: string, raw?: Buffer): KeyObject | null {
  const given = text.trim();
  if (given.startsWith('-----BEGIN')) return readKey(given);
  const bytes = /^[0-9a-f]{64}$/i.test(given)
    ? Buffer.from(given, 'hex')
    : isBase64(given.replaceAll(/\s/g, ''))
      ? Buffer.from(given, 'base64')
      : null;
  if (bytes === null) return null;
  const der = raw && bytes.length === 32 ? Buffer.concat([raw, bytes]) : bytes;
  return readKey({ key: der, format: 'der', type: 'spki' });
}

function readKey(given: Parameters<typeof createPublicKey>[0]): KeyObject | null {
  try {
    return createPublicKey(given);
  } catch (error) {
    // Only the key's text can be wrong here, and text that is no key protects nothing.
    if (types.isNativeError(error)) return null;
    throw error;
  }
}
