import { defineAdapter, type AdapterDefinition, type ProviderHttp } from '#libs/adapter-sdk';
import { formatMessage } from '../generic/format-message.js';
import { deliverMail } from './deliver-mail.js';
import { parseSendgridInbound } from './parse-inbound.js';
import { SENDGRID_API_URL } from './sendgrid-api.js';
import { SENDGRID_MAX_LENGTH, sendgridManifest } from './sendgrid.manifest.js';
import { verifyKey } from './verify-key.js';
import { verifySendgridWebhook } from './verify-webhook.js';

export interface SendgridSettings extends ProviderHttp {
  /** Origin of the API; SendGrid's by default. */
  apiUrl?: string;
  maxLength?: number;
}

/** Twilio SendGrid: mail out, Inbound Parse and events in. */
export function createSendgridAdapter(given: SendgridSettings): AdapterDefinition {
  const { apiUrl = SENDGRID_API_URL, maxLength = SENDGRID_MAX_LENGTH } = given;
  const http = { fetch: given.fetch, timeoutMs: given.timeoutMs, apiUrl };
  return defineAdapter({
    manifest: { ...sendgridManifest, message: { ...sendgridManifest.message, max_length: maxLength } },
    verify: (call) => verifyKey(call, http),
    verifyWebhook: verifySendgridWebhook,
    parseInbound: parseSendgridInbound,
    deliver: (call) => deliverMail(call, { ...http, maxLength }),
    format: (request) => formatMessage(request, maxLength),
  });
}
