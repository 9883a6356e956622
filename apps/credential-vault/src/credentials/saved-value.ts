import { INVISIBLE, secretWeakness } from '#libs/adapter-sdk';
import { createPublicKey } from 'node:crypto';
import { types } from 'node:util';
import type { CredentialType } from '../credential-store/credential.entity.js';
import { signingName } from '../credential-store/field-rules.js';

/** Named after what they hold: a value of such a field is a secret. */
const secretName = /(?:^|_)(?:secret|token|password|passphrase|signing|api_?key|(?:private|access|account)_key)(?:_|$)/;
const publicKeyName = /(?:^|_)public_key(?:_next)?$/;
/** Where a whole header may be meant. */
const headerName = /authorization|header/;

/** What of a request is put where its secret belongs, and how it begins. */
const pasted: readonly [RegExp, string][] = [
  [/^(["'`])[^"'`]+\1$/, 'stands in quotes: give only what is between them'],
  [
    /^(?:export\s+\w+|(?:set\s+)?[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)=[^=\s]/,
    'is a line of a settings file: give only what is behind the =',
  ],
  [/^(?:bearer|basic)\s+\S/i, 'begins with the scheme of a header: give only what follows it'],
  [/^(?:sha-?\d{1,3}|md5)=[^=]{8}/i, 'is a signature, as a header carries it: give the secret that makes it'],
  [/^v\d[a-z]?[,=][^,=]{8}/, 'is a signature, as a header carries it: give the secret that makes it'],
  [/^t=\d{6,},\s*v\d=/, 'is a signature, as a header carries it: give the secret that makes it'],
  [
    /^(?:authorization|proxy-authorization|cookie|webhook-signature|x-[\w-]{2,60})\s*:/i,
    'is a whole header: give only its secret',
  ],
];
/**
 * Wholly, by one character again and again or a word, or all but the few characters that tell one value from another:
 * `sk_live_****1234`, `••••••••abcd`, `sk_live_…1234`.
 */
const hidden =
  /^(?:([*•●·…])\1*|([\p{L}\p{N}])\2{5,}|[[<(]?\s*(?:redacted|hidden|masked)\s*[\])>]?|[\w-]{0,20}(?:\*{4,}|[•●]{2,}|…+|\.{3,})[\w-]{0,12})$/iu;
/** What programs write for a value that they do not have. */
const nothing = /^(?:undefined|null|None|nil|NaN|\[object \w+\])$/;
/** Where a value was to be filled in. */
const unfilled =
  /^(?:\$\{[^}]*\}|\$\([^)]*\)|\$[A-Z][A-Z0-9_]{2,}|%[A-Z][A-Z0-9_]{2,}%|\{\{[^}]*\}\}|<[^<>]+>|process\.env\.\w+|(?:change|replace)[-_ ]?me|placeholder|your[-_ ][\w -]{0,40}?(?:secret|token|key|password)(?:[-_ ]here)?)$/i;
/** What other programs read a value from. */
const elsewhere = /^(?:op:\/\/|vault:|arn:aws[\w-]*:secretsmanager:|projects\/[^/]+\/secrets\/)\S+$/;

/** Without white space and line ends around it: a copied value carries them, and no secret means them. */
export function trimmed(value: string): string {
  return value.trim();
}

/**
 * Why a value, already trimmed, cannot do what its field is for; null when it may. The words quote no value.
 * @param field its name, which says what it holds: nobody knows yet who will use the credential
 */
export function savedValueProblem(type: CredentialType, field: string, value: string): string | null {
  const invisible = INVISIBLE.exec(value);
  if (invisible) {
    const code = (invisible[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `has an invisible character (U+${code}) at position ${invisible.index + 1}: type it, or copy it elsewhere`;
  }
  const isSecret = type !== 'text' || secretName.test(field);
  if (!isSecret && !publicKeyName.test(field)) return null;
  if (value === '') return 'must not be empty: leave the field out, or give its value';
  if (hidden.test(value)) return 'only hides a value: give the value itself';
  if (nothing.test(value)) return 'is what a program writes for a value that it does not have: give the value itself';
  if (unfilled.test(value) || value.toLowerCase() === field)
    return 'only says where a value belongs: give the value itself';
  if (elsewhere.test(value)) return 'only names a place in another store: give the value itself';
  const wrong = headerName.test(field) ? undefined : pasted.find(([pattern]) => pattern.test(value));
  if (wrong) return wrong[1];
  if (publicKeyName.test(field)) return publicKeyProblem(value);
  if (signingName.test(field)) return signingProblem(value);
  return type !== 'text' && hasControl(value) ? 'must be one line, without control characters' : null;
}

/** `whsec_` says that the rest is base64; any other text is a key as it is. */
function signingProblem(value: string): string | null {
  if (/^\{\s*"/.test(value)) return 'is JSON: give only the secret in it';
  if (value.startsWith('-----BEGIN')) {
    return /-----END [\w ]+-----/.test(value) ? null : 'is cut off: give all lines of the key, down to its END';
  }
  if (hasControl(value)) return 'must be one line, without control characters';
  const weakness = secretWeakness(value, value.startsWith('whsec_') ? 'standard-webhooks' : 'text');
  return weakness === null ? null : `cannot protect: it ${weakness}`;
}

/** PEM, or base64 of the DER form (SubjectPublicKeyInfo), or an Ed25519 key alone in hex or base64. */
function publicKeyProblem(text: string): string | null {
  if (/-----BEGIN [\w ]*PRIVATE KEY/.test(text)) return 'is a private key: give the public one, and replace this pair';
  if (/^[0-9a-f]{64}$/i.test(text) || /^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return null;
  try {
    const key = text.startsWith('-----BEGIN')
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    const bits = key.asymmetricKeyDetails?.modulusLength;
    return bits !== undefined && bits < 2_048 ? `cannot protect: it has ${bits} bits, and 2048 are needed` : null;
  } catch (error) {
    // Only the key's text can be wrong here.
    if (types.isNativeError(error)) return 'is no public key in PEM or base64 (SubjectPublicKeyInfo)';
    throw error;
  }
}

function hasControl(value: string): boolean {
  return [...value].some((char) => char < ' ' || char === '\u007f');
}
