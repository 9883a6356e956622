import type { VerifyCall, VerifyResult } from '#libs/adapter-sdk';
import { EgressError } from '#libs/egress';
import { readAccount } from './smtp-account.js';
import { deliveryFailureOf, SmtpFailure } from './smtp-failure.js';
import { openSession, type SmtpNetwork } from './smtp-session.js';

/** Connects and logs in; nothing is sent. */
export async function verifyAccount({ credentials }: VerifyCall, network: SmtpNetwork): Promise<VerifyResult> {
  const account = readAccount(credentials);
  if ('problem' in account) return { ok: false, error: 'auth_failed', message: account.problem };
  try {
    (await openSession(account, network)).close();
  } catch (error) {
    if (!(error instanceof SmtpFailure) && !(error instanceof EgressError)) throw error;
    const { error: code, error_detail } = deliveryFailureOf(error);
    const ours = code === 'auth_failed' || code === 'permission_denied';
    return {
      ok: false,
      error: ours ? 'auth_failed' : 'provider_unavailable',
      ...(error_detail && { message: error_detail.message }),
    };
  }
  return {
    ok: true,
    user: account.from,
    account: { id: account.from, email: account.from },
    ...(account.encryption === 'none' && { warnings: ['mail is sent to the server without encryption'] }),
  };
}
