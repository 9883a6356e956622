import { signStandardWebhooks } from '#libs/adapter-sdk';
import { Sweeping } from '#libs/database';
import { type Egress, EgressError } from '#libs/egress';
import { type Policy, settlementOf, type Verdict, verdictOf } from '#libs/work';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DoesNotOpen } from '../sealing/aead.js';
import { EGRESS } from '../services.js';
import { SETTINGS, type VaultSettings } from '../settings.js';
import { NotificationTargetService } from './notification-target.service.js';
import type { Notification } from './notification.entity.js';
import { NotificationRepository } from './notification.repository.js';

/** With the pauses between the tries, about seven hours. */
const policy: Policy = {
  tries: 14,
  backoff: { baseMs: 15_000, capMs: 3_600_000 },
  jitter: 0.2,
  ageMs: null,
  failuresAge: true,
};
/** Shorter than a lease. */
const timeoutMs = 10_000;
const batch = 20;

class ReceiverRefused extends Error {
  override readonly name = 'ReceiverRefused';
  readonly code = 'receiver_refused';
  constructor(status: number) {
    super(`it answered ${status}`);
  }
}

/** Delivers notifications until the receiver answers 2xx, signed according to Standard Webhooks. */
@Injectable()
export class Notifier extends Sweeping {
  private readonly logger = new Logger('notifications');

  constructor(
    private readonly notifications: NotificationRepository,
    private readonly targets: NotificationTargetService,
    @Inject(EGRESS) private readonly egress: Egress,
    @Inject(SETTINGS) private readonly settings: VaultSettings,
  ) {
    super();
    this.sweepEvery({
      name: 'notifications',
      everyMs: settings.NOTIFY_SWEEP_MS,
      batch,
      sweep: (limit) => this.sweep(limit),
    });
  }

  private async sweep(limit: number): Promise<number> {
    const claimed = await this.notifications.claim(limit);
    await Promise.all(claimed.map((one) => this.deliver(one)));
    return claimed.length;
  }

  private async deliver(notification: Notification): Promise<void> {
    const { id, tries: attempt, project_id: projectId } = notification;
    try {
      await this.send(notification);
    } catch (error) {
      const settlement = settlementOf(id, notification, verdict(error), policy);
      const last = settlement.state === 'dead';
      this.logger.warn({ event: 'notification.failed', notification: id, attempt, last, error: String(error) });
      await this.notifications.failed(settlement, projectId, causeOf(error), this.settings.NOTIFICATION_KEEP_DAYS);
      return;
    }
    await this.notifications.delivered(notification);
  }

  private async send({ id, body, target }: Notification): Promise<void> {
    const secret = await this.targets.secretOf(target);
    const { status } = await this.egress.fetch(target.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signStandardWebhooks({ secret: secret.reveal(), id, body }) },
      body,
      timeoutMs,
      maxResponseBytes: 1_024,
      maxRedirects: 0,
    });
    if (status < 200 || status >= 300) throw new ReceiverRefused(status);
  }
}

const verdict = (error: unknown): Verdict =>
  error instanceof DoesNotOpen ? { do: 'dead', code: 'undecryptable' } : verdictOf(error);

/** What the credential shows. */
function causeOf(error: unknown): string {
  if (error instanceof ReceiverRefused) return error.message;
  if (error instanceof DoesNotOpen) return 'the secret that signs it cannot be opened';
  return error instanceof EgressError ? `it could not be reached (${error.code})` : 'it could not be sent';
}
