import type { InboundParsePayload, InboundRequest } from '#libs/contracts';
import type { Receipt } from './receipt.js';

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The job that wakes the gateway for a receipt; bodies over the limit stay behind and are read by reference. */
export function parseJob(receipt: Receipt, inlineLimitBytes: number): InboundParsePayload {
  return {
    receipt_id: receipt.id,
    received_at: receipt.receivedAt.toISOString(),
    organization_id: receipt.organizationId,
    project_id: receipt.projectId,
    app_id: receipt.appId,
    verified_scheme: receipt.verifiedScheme,
    ...(receipt.body.length <= inlineLimitBytes ? { request: inboundRequest(receipt) } : {}),
    ...(receipt.traceparent ? { traceparent: receipt.traceparent } : {}),
  };
}

/** The request as the adapter contract wants it: the exact body, as text where it is valid UTF-8. */
export function inboundRequest(receipt: Receipt): InboundRequest {
  const question = receipt.url.indexOf('?');
  const path = question < 0 ? receipt.url : receipt.url.slice(0, question);
  const search = new URLSearchParams(question < 0 ? '' : receipt.url.slice(question));
  return {
    method: receipt.method,
    url: receipt.url,
    path,
    query: Object.fromEntries(search),
    headers: receipt.headers,
    ...encodeBody(receipt.body),
  };
}

function encodeBody(body: Buffer): Pick<InboundRequest, 'body' | 'body_encoding'> {
  try {
    return { body: strictUtf8.decode(body), body_encoding: 'utf8' };
  } catch {
    return { body: body.toString('base64'), body_encoding: 'base64' };
  }
}
