import { defineAdapter, type AdapterDefinition } from '#libs/adapter-sdk';
import { deliverMessage, type DeliverySettings } from './deliver-message.js';
import { formatMessage } from './format-message.js';
import { GENERIC_MAX_LENGTH, genericManifest } from './generic.manifest.js';
import { parseGenericInbound } from './parse-inbound.js';
import { verifyCredentials } from './verify-credentials.js';
import { verifyGenericWebhook } from './verify-webhook.js';

/** For one outgoing request, from connecting to the end of the answer. */
export const GENERIC_TIMEOUT_MS = 10_000;

/**
 * The reference adapter: signed HTTP in, signed HTTP out. `fetch` must be guarded: users type the addresses, and the
 * adapter runs inside the cluster.
 */
export function createGenericAdapter(
  settings: Pick<DeliverySettings, 'fetch'> & Partial<DeliverySettings>,
): AdapterDefinition {
  const { fetch, timeoutMs = GENERIC_TIMEOUT_MS, maxLength = GENERIC_MAX_LENGTH } = settings;
  return defineAdapter({
    manifest: { ...genericManifest, message: { ...genericManifest.message, max_length: maxLength } },
    verify: verifyCredentials,
    verifyWebhook: verifyGenericWebhook,
    parseInbound: parseGenericInbound,
    deliver: (call) => deliverMessage(call, { fetch, timeoutMs, maxLength }),
    format: (request) => formatMessage(request, maxLength),
  });
}
