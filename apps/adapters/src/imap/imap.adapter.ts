import { defineAdapter, deliverFailure, type AdapterDefinition } from '#libs/adapter-sdk';
import { formatMessage } from '../generic/format-message.js';
import { deliverMail } from '../smtp/deliver-mail.js';
import { fetchFile } from './fetch-file.js';
import { smtpCredentials } from './imap-account.js';
import type { ImapNetwork } from './imap-session.js';
import { IMAP_MAX_FILE_BYTES, IMAP_MAX_MAIL_BYTES, imapManifest } from './imap.manifest.js';
import { parseImapInbound } from './parse-inbound.js';
import { pollMailbox } from './poll-mailbox.js';
import { SMTP_MAX_LENGTH } from '../smtp/smtp.manifest.js';
import { verifyMailbox } from './verify-mailbox.js';

export interface ImapSettings extends ImapNetwork {
  maxLength?: number;
  maxMailBytes?: number;
  maxFileBytes?: number;
}

/** Any mailbox: in by IMAP, out by SMTP. `connect` must be guarded: a user types the hosts. */
export function createImapAdapter(settings: ImapSettings): AdapterDefinition {
  const {
    maxLength = SMTP_MAX_LENGTH,
    maxMailBytes = IMAP_MAX_MAIL_BYTES,
    maxFileBytes = IMAP_MAX_FILE_BYTES,
  } = settings;
  return defineAdapter({
    manifest: { ...imapManifest, message: { ...imapManifest.message, max_length: maxLength } },
    verify: (call) => verifyMailbox(call, settings),
    verifyWebhook: () => ({ ok: false, error: 'unsupported', message: 'mail is fetched: nobody sends webhooks here' }),
    parseInbound: parseImapInbound,
    poll: (call) => pollMailbox(call, { ...settings, maxMailBytes }),
    deliver: (call) => {
      const credentials = smtpCredentials(call.credentials);
      if (!credentials) return deliverFailure('auth_failed', 'smtp_host is not set: nothing can be sent');
      return deliverMail({ ...call, credentials }, { ...settings, maxLength });
    },
    format: (request) => formatMessage(request, maxLength),
    fetchFile: (call) => fetchFile(call, settings, maxFileBytes),
  });
}
