import { signStandardWebhooks } from '#libs/adapter-sdk';
import { Sweeping } from '#libs/database';
import { type Egress, EgressError } from '#libs/egress';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { DoesNotOpen } from '../sealing/aead.js';
import { EGRESS } from '../services.js';
import { SETTINGS, type VaultSettings } from '../settings.js';
import { NotificationTargetService } from './notification-target.service.js';
import { type ClaimedNotification, NotificationRepository } from './notification.repository.js';

/** With the pauses between them, about seven hours. */
const maxAttempts = 14;
/** Shorter than the pause after a first failure, so that tries do not overlap. */
const timeoutMs = 10_000;
const batch = 20;

class ReceiverRefused extends Error {
  override readonly name = 'ReceiverRefused';
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

  private async deliver(notification: ClaimedNotification): Promise<void> {
    const { id, attempts } = notification;
    try {
      await this.send(notification);
    } catch (error) {
      const last = attempts >= maxAttempts || error instanceof DoesNotOpen;
      const [code, detail] = causeOf(error);
      this.logger.warn({
        event: 'notification.failed',
        notification: id,
        attempt: attempts,
        last,
        error: String(error),
      });
      await this.notifications.failed(notification, { code, detail, last }, this.settings.NOTIFICATION_KEEP_DAYS);
      return;
    }
    await this.notifications.told(notification);
  }

  private async send(notification: ClaimedNotification): Promise<void> {
    const { id, body, url } = notification;
    const secret = await this.targets.secretOf(notification);
    const { status } = await this.egress.fetch(url, {
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

/** @returns the code, and the text that the credential shows */
function causeOf(error: unknown): [string, string] {
  if (error instanceof ReceiverRefused) return ['receiver_refused', error.message];
  if (error instanceof DoesNotOpen) return ['undecryptable', 'the secret that signs it cannot be opened'];
  if (error instanceof EgressError) return [error.code, `it could not be reached (${error.code})`];
  return ['internal_error', 'it could not be sent'];
}
