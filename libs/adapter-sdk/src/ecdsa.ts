import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { types } from 'node:util';
import { secretList } from './secret-strength.js';
import { signaturesIn } from './signatures-in.js';

const CURVE = 'prime256v1';

/**
 * The usable P-256 public keys in a credential field: one or, during a rotation, several, each as PEM or as the base64
 * of its DER form (SubjectPublicKeyInfo), which SendGrid shows. Empty when none is usable.
 */
export function ecdsaPublicKeys(value: unknown): KeyObject[] {
  return secretList(value).flatMap((text) => {
    const key = readKey(text.trim());
    return key?.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === CURVE ? [key] : [];
  });
}

/** Whether any of the keys made one of the signatures in a header (ECDSA over SHA-256, base64 of its DER form); malformed text is wrong. */
export function verifyEcdsa(check: {
  keys: readonly KeyObject[];
  payload: readonly (string | Buffer)[];
  signature: string;
}): boolean {
  const given = signaturesIn(check.signature, '', 'base64');
  const payload = Buffer.concat(check.payload.map((chunk) => Buffer.from(chunk)));
  return check.keys.some((key) =>
    given.some((signature) => verify('sha256', payload, { key, dsaEncoding: 'der' }, signature)),
  );
}

function readKey(text: string): KeyObject | undefined {
  try {
    return text.startsWith('-----BEGIN')
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
  } catch (error) {
    // Only the key's text can be wrong here, and text that is not a key is not usable.
    if (types.isNativeError(error)) return undefined;
    throw error;
  }
}
