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
      ? `It waits: ${ahead} messages of its project are ahead, and the project's limit is ${rate} a second. Raise messages_per_second in the project's settings or with PUT /api/v1/projects/<id>/limits.`
      : `It waits: ${ahead} messages of its project are ahead, and the project sends faster than they are handled. Other projects are not delayed. Add replicas of the busy services, or send less.`;
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
