import { type VerifyCall, type VerifyResult, refusedCredentials } from '#libs/adapter-sdk';
import { EgressError } from '#libs/egress';
import { verifyAccount } from '../smtp/verify-account.js';
import { readAccount, smtpCredentials } from './imap-account.js';
import { ImapFailure, imapFailure } from './imap-failure.js';
import { inFolder, type ImapNetwork } from './imap-session.js';

/** Logs in, opens the folder, and logs in at SMTP. A refusal begins with the part that is wrong: host, login, folder, SMTP. */
export async function verifyMailbox(call: VerifyCall, network: ImapNetwork): Promise<VerifyResult> {
  const { credentials } = call;
  const account = readAccount(credentials);
  if ('problem' in account) return { ok: false, error: 'auth_failed', message: account.problem };
  try {
    await inFolder(account, network, async () => undefined);
  } catch (error) {
    if (error instanceof ImapFailure || error instanceof EgressError) return refusedCredentials(imapFailure(error));
    throw error;
  }
  const smtp = smtpCredentials(credentials);
  if (!smtp) {
    const { user } = account;
    const warnings = ['smtp_host is not set: nothing can be sent'];
    return { ok: true, user, account: { id: user, email: user, account: user }, warnings };
  }
  const sending = await verifyAccount({ ...call, credentials: smtp }, network);
  if (!sending.ok) return { ...sending, message: `SMTP: ${sending.message ?? sending.error}` };
  return { ...sending, account: { ...sending.account, account: sending.user } };
}
