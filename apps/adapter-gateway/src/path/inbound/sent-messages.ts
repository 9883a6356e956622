import { type MessageOrigin, type NormalizedMessage, resentAfterMs } from '#libs/contracts';
import { Database } from '#libs/database';
import { isOwnMarker } from '#libs/direct-app';
import { Injectable, Logger } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import type { AppRow } from '../../entities/app.entity.js';
import { type ProviderStatus, providerStatuses } from '../../entities/delivery.entity.js';

/** Recognises a message that an App of this installation sent, whichever App it reaches. */
@Injectable()
export class MessageOrigins {
  constructor(private readonly db: Database) {}

  /**
   * Marks a message by its origin markers: `is_bot` if the App that got it had sent it (spec 4.2), and `origin` if
   * another App had. For `origin`, a marker that names no delivery of this installation is ignored.
   */
  async mark(app: AppRow, message: NormalizedMessage, markers: string[]): Promise<NormalizedMessage> {
    if (markers.length === 0) return message;
    if (markers.some((marker) => isOwnMarker(app, marker))) {
      return { ...message, is_bot: true, metadata: { ...message.metadata, is_self: true } };
    }
    const origin = await this.farthest(markers);
    return origin ? { ...message, origin } : message;
  }

  private async farthest(markers: string[]): Promise<MessageOrigin | null> {
    let found = await this.named(markers);
    const missing = markers.filter((marker) => !found.some(({ delivery_id: id }) => marker.endsWith(id)));
    if (missing.length > 0 && (await this.isOfDirectApp(missing))) {
      const until = performance.now() + resentAfterMs;
      for (
        let waitMs = 10;
        found.length < markers.length && performance.now() < until;
        waitMs = Math.min(waitMs * 2, 100)
      ) {
        await pause(waitMs);
        found = await this.named(markers);
      }
    }
    return found.reduce<MessageOrigin | null>((far, each) => (far && far.hops >= each.hops ? far : each), null);
  }

  /** Looks at every organization, since a loop may lead through several. Only the id and the hop count are returned. */
  private async named(markers: string[]): Promise<MessageOrigin[]> {
    const ids = markers.flatMap((marker) => marker.split('.')[1] ?? []);
    return this.db.query(
      `SELECT d.id AS delivery_id, coalesce((d.content -> 'target' ->> 'hops')::integer, 0) + 1 AS hops
         FROM gateway.delivery d JOIN gateway.app a ON a.id = d.app_id
        WHERE d.id = ANY($1) AND a.origin_marker || '.' || d.id = ANY($2)`,
      [ids, markers],
    );
  }

  /**
   * Whether one of the built-in Webhook app may have sent a message of them. Its first attempts have no row until they
   * have arrived, and may be answered before that.
   */
  private async isOfDirectApp(markers: string[]): Promise<boolean> {
    const ofApps = markers.flatMap((marker) => (marker.includes('.') ? marker.split('.').slice(0, 1) : []));
    const rows: unknown[] = await this.db.query(
      `SELECT FROM gateway.app WHERE kind = 'builtin' AND origin_marker = ANY($1) LIMIT 1`,
      [ofApps],
    );
    return rows.length > 0;
  }
}

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
  // Whoever does that has got it.
  deleted: 'delivered',
  spamreport: 'delivered',
  read: 'read',
  open: 'read',
  click: 'read',
  failed: 'failed',
  undelivered: 'failed',
  bounce: 'failed',
  dropped: 'failed',
};

/** A delivery's key, or that of one of its parts, which mails mark by their number of how many. */
const deliveryKey = /^(dlv_[0-9a-z]+)(?:\/\d+|-\d+\/\d+)?$/;
const maxDetailChars = 500;

/** What a provider says of one message. */
export interface ProviderReport {
  /** Null: the delivery is known by the message's id only. */
  delivery: string | null;
  message_id: string | null;
  status: ProviderStatus;
  detail: string | null;
  /** RFC 3339. */
  at: string;
}

/** Notes on deliveries what their provider says became of them. The event itself is routed like any other. */
@Injectable()
export class ProviderStatuses {
  private readonly logger = new Logger('provider-statuses');

  constructor(private readonly db: Database) {}

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
    await this.report(appId, reports).catch((error: unknown) =>
      this.logger.warn({ event: 'delivery.status_lost', app: appId, error: String(error) }),
    );
  }

  /**
   * Notes what a provider says of messages. A status replaces only one that comes before it.
   * @param reports by the delivery's id where the provider hands it back, else by the id of the message
   */
  private async report(appId: string, reports: readonly ProviderReport[]): Promise<void> {
    await this.db.query(
      `UPDATE gateway.delivery d SET provider_status = r.status, provider_status_detail = r.detail, provider_status_at = r.at
         FROM (SELECT DISTINCT ON (coalesce(delivery, message_id)) * FROM jsonb_to_recordset($2::jsonb)
                 AS t(delivery text, message_id text, status text, detail text, at timestamptz)
                ORDER BY coalesce(delivery, message_id), array_position($3::text[], status) DESC) r
        WHERE d.app_id = $1 AND (d.id = coalesce(r.delivery, r.message_id)
               OR (r.delivery IS NULL AND d.provider_message_id = r.message_id AND d.provider_message_id <> d.id))
          AND coalesce(array_position($3::text[], d.provider_status), 0) < array_position($3::text[], r.status)`,
      [appId, JSON.stringify(reports), [...providerStatuses]],
    );
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
