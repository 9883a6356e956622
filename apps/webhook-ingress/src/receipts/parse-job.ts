import type { InboundParsePayload, InboundRequest } from '#libs/contracts';
import type { PublicAddress } from './public-address.js';
import type { Receipt } from './receipt.js';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The job that parses a receipt. A body over the limit is left out and read by reference. */
export function parseJob(receipt: Receipt, inlineLimitBytes: number, at: PublicAddress): InboundParsePayload {
  return {
    receipt_id: receipt.id,
    received_at: receipt.receivedAt.toISOString(),
    organization_id: receipt.organizationId,
    project_id: receipt.projectId,
    app_id: receipt.appId,
    verified_scheme: receipt.verifiedScheme,
    ...(receipt.body.length <= inlineLimitBytes ? { request: inboundRequest(receipt, at) } : {}),
  };
}

/**
 * The request in the form of the adapter contract: the exact body, as text where it is valid UTF-8, and the URL and
 * host that the provider was given, whatever a proxy changed on the way.
 */
export function inboundRequest(receipt: Receipt, at: PublicAddress): InboundRequest {
  const question = receipt.url.indexOf('?');
  const path = question < 0 ? receipt.url : receipt.url.slice(0, question);
  const search = new URLSearchParams(question < 0 ? '' : receipt.url.slice(question));
  return {
    method: receipt.method,
    url: at.url + receipt.url,
    path: at.prefix + path,
    query: Object.fromEntries([...new Set(search.keys())].map((name) => [name, oneOrAll(search.getAll(name))])),
    headers: { ...receipt.headers, host: at.host },
    ...encodeBody(receipt.body),
  };
}

function oneOrAll(values: string[]): string | string[] {
  const [first] = values;
  return values.length === 1 && first !== undefined ? first : values;
}

function encodeBody(body: Buffer): Pick<InboundRequest, 'body' | 'body_encoding'> {
  try {
    return { body: strictUtf8.decode(body), body_encoding: 'utf8' };
  } catch {
    return { body: body.toString('base64'), body_encoding: 'base64' };
  }
}
