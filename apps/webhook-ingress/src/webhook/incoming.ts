import { type Endpoint, newTimedId } from '#libs/contracts';
import type { Receipt } from '../receipts/receipt.js';

export interface Incoming {
  method: string;
  /** Path and query, the token still in it. */
  url: string;
  token: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  remoteAddress: string;
  /** The platform itself sent it, to see how it is answered. */
  probe: boolean;
}

export interface Answer {
  status: number;
  headers: Record<string, string | number>;
  body: string;
  /** The event that it became. Absent: none, or one that was there before. */
  event_id?: string;
}

/** The receipt that a request becomes, its URL whole: a provider's signature may be over it. No view shows it. */
export function receiptOf(endpoint: Endpoint, incoming: Incoming, verifiedScheme: string | null): Receipt {
  const { id, timeMs } = newTimedId('evt');
  return {
    id,
    // The id's own time, by which the row is looked for: a clock that was set back is not followed by the ids.
    receivedAt: new Date(timeMs),
    organizationId: endpoint.organization_id,
    projectId: endpoint.project_id,
    appId: endpoint.app_id,
    outcome: endpoint.state === 'paused' && !incoming.probe ? 'held' : 'accepted',
    reason: incoming.probe ? 'verification' : null,
    method: incoming.method,
    url: incoming.url,
    headers: incoming.headers as Receipt['headers'],
    body: incoming.body,
    verifiedScheme,
    remoteAddress: incoming.remoteAddress,
  };
}

/** The first value of a header. */
export function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
