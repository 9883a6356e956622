import { type Endpoint, newTimedId } from '#libs/contracts';
import type { Receipt } from '../receipts/receipt.js';
import type { Incoming } from '../request/incoming.js';

export interface Answer {
  status: number;
  headers: Record<string, string | number>;
  body: string;
  /** The event that the request became. Absent: none, or one that existed before. */
  event_id?: string;
}

/** The receipt of a request. Its URL is whole, because a provider's signature may be over it. No view shows it. */
export function receiptOf(endpoint: Endpoint, incoming: Incoming, verifiedScheme: string | null): Receipt {
  const { id, timeMs } = newTimedId('evt');
  return {
    id,
    // The time in the id, by which the row is looked up: ids do not follow a clock that was set back.
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
