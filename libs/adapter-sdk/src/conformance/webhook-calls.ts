import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '../json-value.js';
import type { WebhookSample } from './fixtures.js';
import type { Kit } from './kit.js';

export interface WebhookCall {
  credentials: JsonObject;
  request: JsonObject & { headers: Record<string, string> };
  received_at: string;
  self?: JsonObject;
}

export function bodyOf(sample: WebhookSample): Buffer {
  return Buffer.from(sample.text ?? JSON.stringify(sample.json ?? {}), 'utf8');
}

/**
 * The body of a `/verify-webhook` or `/parse-inbound` call for a sample, signed if the fixtures say how. For checks
 * that tamper, `signedAt` and `sentBody` differ from what is signed or received.
 */
export async function webhookCall(
  kit: Kit,
  sample: WebhookSample,
  changes: { body?: Buffer; sentBody?: Buffer; receivedAt?: Date; signedAt?: Date; credentials?: JsonObject } = {},
): Promise<WebhookCall> {
  const body = changes.body ?? bodyOf(sample);
  const sent = changes.sentBody ?? body;
  const receivedAt = changes.receivedAt ?? new Date();
  const credentials = changes.credentials ?? kit.credentials;
  const signature = (await kit.signer?.sign(body, changes.signedAt ?? receivedAt, credentials)) ?? {};
  const query = new URLSearchParams(sample.query).toString();
  const path = '/api/v1/webhooks/conformance';
  return {
    credentials,
    request: {
      method: sample.method ?? 'POST',
      url: `https://gatehouse.example${path}${query === '' ? '' : `?${query}`}`,
      path,
      query: sample.query ?? {},
      headers: lowerCased({ 'content-type': 'application/json', ...sample.headers, ...signature }),
      ...(isUtf8(sent)
        ? { body: sent.toString('utf8'), body_encoding: 'utf8' }
        : { body: sent.toString('base64'), body_encoding: 'base64' }),
    },
    received_at: receivedAt.toISOString(),
    ...(kit.fixtures.self && { self: kit.fixtures.self }),
  };
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
