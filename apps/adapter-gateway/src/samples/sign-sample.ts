import { type Credentials, secretList, standardWebhooksKey, strongSecrets } from '#libs/adapter-sdk';
import type { DeclaredVerification } from '#libs/contracts';
import { Problem } from '#libs/service-kit';
import { createHmac, randomUUID } from 'node:crypto';

/** `tampered`: changed after it was signed. `stale`: signed longer ago than is accepted. */
export const sampleKinds = ['signed', 'unsigned', 'tampered', 'stale'] as const;
export type SampleKind = (typeof sampleKinds)[number];

/** A body with the headers that sign it, as its provider would send them. */
export interface SignedSample {
  headers: Record<string, string>;
  body: string;
}

const defaultToleranceSeconds = 300;
/** Beyond the tolerance, so that clock skew does not make it fresh. */
const staleBySeconds = 600;

/**
 * @param verification how the ingress checks the App's requests; `adapter`: the adapter checks them in its own way
 * @throws Problem 422 `cannot_sign`, `nothing_is_signed`, `no_signing_secret`, `no_time_is_signed`
 */
export function signSample(
  kind: SampleKind,
  body: string,
  verification: DeclaredVerification | 'adapter' | 'none',
  credentials: Credentials,
): SignedSample {
  if (kind === 'unsigned') return { headers: {}, body };
  const declared = requireScheme(kind, verification);
  if (declared === null) return { headers: {}, body };
  const form = declared.scheme === 'standard-webhooks' ? declared.scheme : 'text';
  const secret =
    declared.secret_fields.flatMap((field) => strongSecrets(credentials[field], form))[0] ??
    declared.secret_fields.flatMap((field) => secretList(credentials[field]))[0];
  if (secret === undefined) {
    throw new Problem(422, 'no_signing_secret', 'No signing secret is set: link a credential that has one.');
  }
  if (kind === 'stale' && !signsTime(declared)) {
    const detail = 'The scheme signs no time, so no request can be too old.';
    throw new Problem(422, 'no_time_is_signed', detail);
  }
  const ageSeconds = kind === 'stale' ? (declared.tolerance_seconds ?? defaultToleranceSeconds) + staleBySeconds : 0;
  const seconds = String(Math.floor(Date.now() / 1_000) - ageSeconds);
  const headers = declared.scheme === 'hmac' ? hmac(declared, secret, seconds, body) : standard(secret, seconds, body);
  // The body is still JSON, so that only the change can be refused.
  return { headers, body: kind === 'tampered' ? `${body} ` : body };
}

export function signsTime({ scheme, timestamp_header: header }: DeclaredVerification): boolean {
  return scheme === 'standard-webhooks' || header !== undefined;
}

/** @returns null where nothing has to be signed */
function requireScheme(
  kind: SampleKind,
  verification: DeclaredVerification | 'adapter' | 'none',
): DeclaredVerification | null {
  if (typeof verification === 'object') return verification;
  if (verification === 'adapter') {
    const detail =
      'The adapter checks signatures itself, in a way that its manifest does not declare: only the provider can sign. Send the sample unsigned.';
    throw new Problem(422, 'cannot_sign', detail);
  }
  if (kind === 'signed') return null;
  const detail = 'The App checks no signatures, so it cannot detect a changed or an old request.';
  throw new Problem(422, 'nothing_is_signed', detail);
}

function hmac(declared: DeclaredVerification, secret: string, seconds: string, body: string): Record<string, string> {
  const { header = 'x-signature-256', algorithm = 'sha256', encoding = 'hex', prefix = 'sha256=' } = declared;
  const { timestamp_header: timeHeader, signed_text: text = '{timestamp}.{body}' } = declared;
  const before = timeHeader === undefined ? '' : text.replace('{body}', '').replace('{timestamp}', seconds);
  const digest = createHmac(algorithm, secret).update(`${before}${body}`).digest(encoding);
  return { [header]: `${prefix}${digest}`, ...(timeHeader === undefined ? {} : { [timeHeader]: seconds }) };
}

/** Standard Webhooks 1.0. */
function standard(secret: string, seconds: string, body: string): Record<string, string> {
  const id = `msg_${randomUUID().replaceAll('-', '')}`;
  const signature = createHmac('sha256', standardWebhooksKey(secret))
    .update(`${id}.${seconds}.${body}`)
    .digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
}
