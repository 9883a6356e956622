import type { JournalEntry } from '#libs/journal';
import type { Receipt } from './receipt.js';

/** Shorter waits are not worth an entry. */
const toldFromS = 2;
/** Messages ahead, for a project without a limit of its own, which goes as fast as it can. */
const toldFromAhead = 1_000;

/** The timeline entry of a receipt that waits behind others of its project; null when it will not wait long. */
export function waitingEntry(receipt: Receipt, ahead: number, rate: number): JournalEntry | null {
  if (rate > 0 ? ahead < rate * toldFromS : ahead < toldFromAhead) return null;
  const advice =
    rate > 0
      ? `It waits: its project has ${ahead} messages before it, and a limit of ${rate} a second. Raise the project's messages_per_second, in its settings or by PUT /api/v1/projects/<id>/limits.`
      : `It waits: its project has ${ahead} messages before it, and sends more than is handled. Other projects are not held up. Add replicas of what is busy, or have it send less.`;
  return {
    receipt_id: receipt.id,
    organization_id: receipt.organizationId,
    project_id: receipt.projectId,
    app_id: receipt.appId,
    stage: 'received',
    outcome: 'held',
    reason: rate > 0 ? 'project_limit' : 'project_share',
    detail: { ahead, ...(rate > 0 ? { limit_per_second: rate } : {}), advice },
  };
}
