import { createPrivateKey, sign } from 'node:crypto';
import type { Credentials } from '../call-context.js';
import { signHmac } from '../hmac.js';
import type { HmacAlgorithm } from '../signature-schemes/one-shot-hmac.js';
import { secretList } from '../secret-strength.js';
import type { HmacEncoding } from '../signatures-in.js';
import { signStandardWebhooks } from '../standard-webhooks.js';
import { Skipped } from './check.js';

/**
 * How the provider signs. `credential` is the field of the credentials that verifies. In `payload`, `{timestamp}` (Unix
 * seconds) and `{body}` are replaced; default `{body}`. `prefix` precedes the signature in its header.
 */
export type SigningRecipe =
  | {
      scheme: 'hmac';
      credential: string;
      header: string;
      algorithm?: HmacAlgorithm;
      encoding?: HmacEncoding;
      prefix?: string;
      payload?: string;
      timestamp_header?: string;
    }
  | { scheme: 'standard-webhooks'; credential: string }
  | {
      scheme: 'ecdsa';
      credential: string;
      header: string;
      /** PEM of the key whose public half is in the credentials. */
      private_key: string;
      payload?: string;
      timestamp_header?: string;
    }
  /** The header contains the secret itself. */
  | { scheme: 'token'; credential: string; header: string; prefix?: string };

/** A recipe as code, for schemes that no recipe describes. */
export interface WebhookSigner {
  credential: string;
  header: string;
  timestampHeader?: string;
  /** Whether a changed body is detected. */
  coversBody: boolean;
  sign(body: Buffer, at: Date, credentials: Credentials): Record<string, string> | Promise<Record<string, string>>;
}

export function signerOf(recipe: SigningRecipe): WebhookSigner {
  const { credential } = recipe;
  if (recipe.scheme === 'standard-webhooks') {
    return {
      credential,
      header: 'webhook-signature',
      timestampHeader: 'webhook-timestamp',
      coversBody: true,
      sign: (body, timestamp, credentials) => ({
        ...signStandardWebhooks({ secret: secretOf(credentials, credential), id: 'msg_conformance', timestamp, body }),
      }),
    };
  }
  if (recipe.scheme === 'token') {
    const { header, prefix = '' } = recipe;
    return {
      credential,
      header,
      coversBody: false,
      sign: (_body, _at, credentials) => ({ [header]: prefix + secretOf(credentials, credential) }),
    };
  }
  const { header, timestamp_header: timestampHeader, payload = '{body}' } = recipe;
  return {
    credential,
    header,
    ...(timestampHeader && { timestampHeader }),
    coversBody: true,
    sign: (body, at, credentials) => {
      const timestamp = String(Math.floor(at.getTime() / 1000));
      const signed = signedBytes(payload, timestamp, body);
      const signature =
        recipe.scheme === 'hmac'
          ? `${recipe.prefix ?? ''}${signHmac(secretOf(credentials, credential), signed, recipe)}`
          : sign('sha256', signed, { key: createPrivateKey(recipe.private_key), dsaEncoding: 'der' }).toString(
              'base64',
            );
      return { [header]: signature, ...(timestampHeader && { [timestampHeader]: timestamp }) };
    },
  };
}

function secretOf(credentials: Credentials, field: string): string {
  const [secret] = secretList(credentials[field]);
  if (secret === undefined) throw new Skipped(`the fixtures' credentials have no ${field} to sign webhooks with`);
  return secret;
}

function signedBytes(template: string, timestamp: string, body: Buffer): Buffer {
  const chunks = template.split(/(\{timestamp\}|\{body\})/).map((piece) => {
    if (piece === '{body}') return body;
    return Buffer.from(piece === '{timestamp}' ? timestamp : piece, 'utf8');
  });
  return Buffer.concat(chunks);
}
