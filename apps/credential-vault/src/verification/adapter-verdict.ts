import { redactSecrets } from '#libs/adapter-sdk';
import { createHash } from 'node:crypto';
import type { Credential } from '../credential-store/credential.entity.js';
import type { CredentialChange } from '../credential-store/credential.repository.js';
import type { FieldValue } from '../credential-store/field-value.js';

const maxReasonLength = 500;

/** The gateway's answer to `POST internal/adapter-calls/verify`. */
export interface AdapterVerdict {
  ok: boolean;
  /** The credentials' owner, in words. */
  user?: string;
  account?: { id?: string } | null;
  /**
   * `auth_failed`: refused. Any other code says nothing about the credential, so an unavailable provider disables
   * nothing.
   */
  code?: string;
  /** The cause, in words. */
  error?: string;
}

/** The code of a refusal. */
export const refusedCode = 'auth_failed';

/** A refusal does not end an oauth2 credential, since its tokens have their own states. */
export function changeOf(
  row: Credential,
  adapterSlug: string,
  { ok, user, account, code = refusedCode, error }: AdapterVerdict,
  credentials: Record<string, FieldValue>,
): CredentialChange {
  const last_verified_at = new Date();
  if (!ok) {
    // Adapters quote providers, and providers quote what they were sent.
    const reason = redactSecrets(error ?? 'the provider refused it', credentials).slice(0, maxReasonLength);
    if (code !== refusedCode) return { reason: notVerified(reason) };
    return { last_verified_at, reason, ...(row.type === 'oauth2' ? {} : { status: 'invalid' as const }) };
  }
  const status = row.status === 'invalid' ? ('active' as const) : row.status;
  if (!account?.id) return { last_verified_at, reason: null, status };
  const fingerprint = createHash('sha256').update(`${adapterSlug}\n${account.id}`).digest('hex');
  const changed = row.account_fingerprint !== null && row.account_fingerprint !== fingerprint;
  return {
    last_verified_at,
    status,
    reason: changed ? `belongs to a different account than before: it was ${row.account?.id ?? 'unknown'}` : null,
    account: { id: account.id.slice(0, 200), name: user?.slice(0, 200) ?? null },
    account_fingerprint: fingerprint,
  };
}

/** The reason that is shown when nobody could be asked. */
export function notVerified(cause: string): string {
  return `not verified: ${cause}`.slice(0, maxReasonLength);
}
