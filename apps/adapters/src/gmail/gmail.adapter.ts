import { defineAdapter, type AdapterDefinition, type ProviderHttp } from '#libs/adapter-sdk';
import { formatMessage } from '../generic/format-message.js';
import { deliverMail } from './deliver-mail.js';
import { fetchFile } from './fetch-file.js';
import { findDelivery } from './find-delivery.js';
import { GMAIL_API_URL } from './gmail-api.js';
import { GMAIL_MAX_FILE_BYTES, GMAIL_MAX_LENGTH, gmailManifest } from './gmail.manifest.js';
import { providerKeys } from '../provider-calls/provider-keys.js';
import { listChanges } from './list-changes.js';
import { parseGmailInbound } from './parse-inbound.js';
import { renewWatch } from './renew-watch.js';
import { verifyMailbox } from './verify-mailbox.js';
import { GOOGLE_JWKS_URL, verifyPush } from './verify-push.js';

export interface GmailSettings extends ProviderHttp {
  /** Origin of the API; Google's by default. */
  apiUrl?: string;
  /** Key set of the tokens that come with pushes; Google's by default. */
  jwksUrl?: string;
  maxLength?: number;
  maxFileBytes?: number;
}

/** One Gmail mailbox: pushes in, mails in and out, a label as document source. */
export function createGmailAdapter(given: GmailSettings): AdapterDefinition {
  const { apiUrl = GMAIL_API_URL, maxLength = GMAIL_MAX_LENGTH, maxFileBytes = GMAIL_MAX_FILE_BYTES } = given;
  const http = { fetch: given.fetch, timeoutMs: given.timeoutMs, apiUrl };
  const keys = providerKeys(given.jwksUrl ?? GOOGLE_JWKS_URL, http);
  return defineAdapter({
    manifest: { ...gmailManifest, message: { ...gmailManifest.message, max_length: maxLength } },
    verify: (call) => verifyMailbox(call, http),
    verifyWebhook: (call) => verifyPush(call, keys),
    parseInbound: (call) => parseGmailInbound(call, http),
    renewWebhook: (call) => renewWatch(call, http),
    deliver: (call) => deliverMail(call, { ...http, maxLength }),
    lookup: (call) => findDelivery(call, http),
    format: (request) => formatMessage(request, maxLength),
    sources: {
      listChanges: (call) => listChanges(call, http),
      fetchFile: (call) => fetchFile(call, { ...http, maxFileBytes }),
    },
  });
}
