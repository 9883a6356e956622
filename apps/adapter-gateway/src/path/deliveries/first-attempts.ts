import { type DeliverySendPayload, firstAttemptWithinMs } from '#libs/contracts';
import type { Work } from '#libs/work';
import { Logger } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryRow } from '../../entities/delivery.entity.js';
import type { GatewaySettings } from '../../env.js';
import type { InstalledApps } from '../apps/installed-apps.js';
import type { Deliverer } from './deliver.js';
import type { ClaimedDelivery, FirstJob } from './delivery.repository.js';
import type { Made } from './delivery.verdict.js';

const neverLost = new AbortController().signal;

interface Then {
  claim: () => Promise<ClaimedDelivery | null>;
  settle: (delivery: ClaimedDelivery, made: Made) => Promise<void>;
}

/**
 * First attempts at replies of the built-in Webhook app. One that arrives soon is stored once, with its result; any other
 * delivery gets its row while the attempt goes on. Nothing is lost with a process that dies before that: the engine offers
 * a reply until the timeline has a result of it. Nothing is done twice: the receiver knows a message that comes again by
 * its key, as after any attempt whose process died.
 */
export class FirstAttempts {
  private readonly logger = new Logger('deliveries');

  constructor(
    private readonly work: Work<DeliveryRow>,
    private readonly deliverer: Deliverer,
    private readonly installed: InstalledApps,
    private readonly settings: Pick<GatewaySettings, 'DELIVERY_ROW_AFTER_MS'>,
  ) {}

  /**
   * @param waitedMs since it was enqueued; what is offered again, because it waited for long, may have a row
   * @returns the job, if it may be attempted before its delivery has a row
   */
  async accept({ content, ...job }: DeliverySendPayload, waitedMs: number): Promise<FirstJob | null> {
    const isFirst = job.custody?.resent !== true && job.turn_id !== null && waitedMs < firstAttemptWithinMs;
    if (this.settings.DELIVERY_ROW_AFTER_MS === 0 || !isFirst || !content || content.attachments) return null;
    // Its claim says what is wrong with the App.
    const installed = await this.installed.get(content.target.app_id).catch(() => null);
    return installed?.adapter === null ? { ...job, content } : null;
  }

  /**
   * @param claim gives it a row; null: another job has it by now
   * @param settle stores what became of it, by its row or, when it has arrived without one, with the row
   */
  attempt(delivery: ClaimedDelivery, then: Then): Promise<void> {
    return this.work.gate.beside(delivery.id, () => this.make(delivery, then));
  }

  private async make(delivery: ClaimedDelivery, then: Then): Promise<void> {
    const making = this.deliverer.made(delivery, neverLost);
    const soon = await Promise.race([making, pause(this.settings.DELIVERY_ROW_AFTER_MS, null, { ref: false })]);
    if (soon !== null && hasArrived(soon)) return then.settle(delivery, soon);
    const claimed = await then.claim().catch((error: unknown) => {
      this.logger.warn({ event: 'delivery.not_claimed', error: String(error) });
      return null;
    });
    if (claimed) {
      const { id: key, claim } = claimed;
      return this.work.hold({ key, claim }, async () => then.settle(claimed, await making));
    }
    // Whoever has the row settles it, and a reply that nobody has is offered again.
    const made = await making;
    if (hasArrived(made)) await then.settle(delivery, made);
  }
}

function hasArrived(made: Made): boolean {
  return 'result' in made && 'ok' in made.result && made.result.ok;
}
