import type { NormalizedMessage } from '#libs/contracts';
import { Injectable, Logger } from '@nestjs/common';
import type { ProviderStatus } from '../entities/delivery.entity.js';
import { DeliveryRepository } from './delivery.repository.js';

/** What providers call the same thing. */
const names: Readonly<Record<string, ProviderStatus>> = {
  accepted: 'queued',
  scheduled: 'queued',
  queued: 'queued',
  deferred: 'queued',
  sending: 'queued',
  processed: 'sent',
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  open: 'read',
  click: 'read',
  failed: 'failed',
  undelivered: 'failed',
  bounce: 'failed',
  dropped: 'failed',
};

/** A delivery's key, or that of one of its parts. */
const deliveryKey = /^(dlv_[0-9a-z]+)(?:\/\d+)?$/;
const maxDetailChars = 500;

/** Notes on deliveries what their provider says became of them. The event itself is routed like any other. */
@Injectable()
export class ProviderStatuses {
  private readonly logger = new Logger('provider-statuses');

  constructor(private readonly deliveries: DeliveryRepository) {}

  /** Never throws: a status tells people something, and decides nothing. */
  async heard(appId: string, messages: readonly NormalizedMessage[]): Promise<void> {
    const reports = messages.flatMap((message) => {
      const { status, message_id: messageId, delivery_key: key, reason, timestamp } = message.metadata ?? {};
      const known = message.event_type === 'delivery_status' ? names[text(status) ?? ''] : undefined;
      const delivery = deliveryKey.exec(text(key) ?? '')?.[1] ?? null;
      if (known === undefined || (delivery === null && text(messageId) === null)) return [];
      const atMs = Date.parse(text(timestamp) ?? '');
      return [
        {
          delivery,
          message_id: text(messageId),
          status: known,
          detail: text(reason)?.replaceAll('\0', '').slice(0, maxDetailChars) ?? null,
          at: new Date(Number.isNaN(atMs) ? Date.now() : atMs).toISOString(),
        },
      ];
    });
    if (reports.length === 0) return;
    await this.deliveries
      .report(appId, reports)
      .catch((error: unknown) => this.logger.warn({ event: 'delivery.status_lost', app: appId, error: String(error) }));
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
