import { defineAdapter, type AdapterDefinition } from '#libs/adapter-sdk';
import { formatMessage } from '../generic/format-message.js';
import { deliverMail } from './deliver-mail.js';
import type { SmtpNetwork } from './smtp-session.js';
import { SMTP_MAX_LENGTH, smtpManifest } from './smtp.manifest.js';
import { verifyAccount } from './verify-account.js';

/** Sends mail over SMTP. `connect` must be guarded: a user types the host, and the adapter runs in the cluster. */
export function createSmtpAdapter(settings: SmtpNetwork & { maxLength?: number }): AdapterDefinition {
  const { maxLength = SMTP_MAX_LENGTH } = settings;
  return defineAdapter({
    manifest: { ...smtpManifest, message: { ...smtpManifest.message, max_length: maxLength } },
    verify: (call) => verifyAccount(call, settings),
    deliver: (call) => deliverMail(call, { ...settings, maxLength }),
    format: (request) => formatMessage(request, maxLength),
  });
}
