import type { Incoming } from '../request/incoming.js';

/** Names of headers and query parameters: X-Hook-Secret, Validation-Token, validationToken, hub.challenge, crc_token. */
const names = /challenge|validation|handshake|hook-?secret|crc_token/i;
/** A body without any of these is no handshake, and is not even parsed. */
const hints = ['hallenge', 'alidation', 'erification', 'lainToken', 'lain_token', 'application_id'];
/** `challenge` (Slack, monday.com, Twitch), `validationCode` (Event Grid), `verification_token` (Notion), `plainToken` (Zoom). */
const field = /^((hub|webhook|url)[._-]?)?challenge$|^(validation|verification)_?(code|token)$|^plain_?token$/i;
/** `url_verification`, `endpoint.url_validation`, `Microsoft.EventGrid.SubscriptionValidationEvent`. */
const kind = /(url|endpoint|webhook|callback|subscription)[._-]?(verification|validation)/i;
const kindFields = ['type', 'event', 'event_type', 'eventType'];

/**
 * Whether a POST may be a provider's handshake, decided from the request alone, so that messages are acknowledged at
 * once, however slow the adapter is. A message may look like one too; then only its acknowledgement is delayed.
 */
export function looksLikeHandshake({ url, headers, body }: Pick<Incoming, 'url' | 'headers' | 'body'>): boolean {
  for (const name in headers) if (names.test(name)) return true;
  const question = url.indexOf('?');
  if (question >= 0) {
    for (const name of new URLSearchParams(url.slice(question)).keys()) if (names.test(name)) return true;
  }
  return hints.some((hint) => body.includes(hint)) && saysHandshake(body.toString('utf8'));
}

function saysHandshake(text: string): boolean {
  const parsed = json(text);
  // Event Grid sends lists.
  const event: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isObject(event)) return false;
  if (hasField(event) || Object.values(event).some((value) => isObject(value) && hasField(value))) return true;
  const kinds = kindFields.map((name) => event[name]).filter((value) => typeof value === 'string');
  if (kinds.some((value) => kind.test(value))) return true;
  // Discord's PING.
  return event['type'] === 1 && 'application_id' in event;
}

function hasField(value: object): boolean {
  return Object.keys(value).some((name) => field.test(name));
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
