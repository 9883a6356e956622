import type { OutboundContent } from '#libs/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export type DeliveryState = 'queued' | 'sending' | 'delivered' | 'dead' | 'unknown' | 'expired';

/** One reply on its way out. */
@Entity({ schema: 'gateway', name: 'delivery' })
@Index('delivery_by_project', ['project_id', 'id'])
@Index('delivery_idempotency_key', ['project_id', 'app_id', 'idempotency_key'], { unique: true })
@Index('delivery_open', ['lease_until'], { where: `"state" IN ('queued', 'sending')` })
@Index('delivery_waiting', ['project_id', 'app_id'], { where: `"state" = 'queued' AND "error" IS NOT NULL` })
export class DeliveryRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'delivery_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) app_id: string;
  @Column({ type: 'text' }) receipt_id: string;
  @Column({ type: 'text', nullable: true }) turn_id: string | null;
  @Column({ type: 'jsonb' }) content: OutboundContent;
  @Column({ type: 'text' }) state: DeliveryState;
  /** Attempts that count: pauses do not, and a redrive starts again at 0. */
  @Column({ type: 'integer' }) attempts: number;
  /** All claims so far. The number of the last one, with `lease_owner`, is its fencing token. */
  @Column({ type: 'integer', default: 0, select: false }) claims?: number;
  @Column({ type: 'text', nullable: true, select: false }) lease_owner?: string | null;
  /** Parts that the provider already has; a retry continues after them. */
  @Column({ type: 'integer' }) from_part: number;
  /** Parts that the gateway splits it into. Null: it is sent whole, or the adapter splits it. */
  @Column({ type: 'integer', nullable: true }) parts: number | null;
  /** Characters of the text that were cut, over DELIVERY_MAX_PARTS. */
  @Column({ type: 'integer', default: 0 }) cut_chars: number;
  /** While `queued`: when it is attempted next. While `sending`: when its attempt counts as abandoned. */
  @Column({ type: 'timestamptz', nullable: true }) lease_until: Date | null;
  /** The new address that the provider named: attempts go there instead. */
  @Column({ type: 'text', nullable: true }) moved_to: string | null;
  /** Of the last attempt. While a call that must not be repeated is in flight: `answer_lost`. */
  @Column({ type: 'text', nullable: true }) error: string | null;
  @Column({ type: 'text', nullable: true }) error_detail: string | null;
  @Column({ type: 'text', nullable: true }) provider_message_id: string | null;
  /** The caller's own key, if a service requested the delivery by call. */
  @Column({ type: 'text', nullable: true }) idempotency_key: string | null;
  @Column({ type: 'timestamptz' }) created_at: Date;
  /** When it was created or last redriven; its maximum age counts from here. */
  @Column({ type: 'timestamptz', default: () => 'now()' }) open_since: Date;
  /** Since when all its attempts have failed; null while none has. */
  @Column({ type: 'timestamptz', nullable: true }) failing_since: Date | null;
  @Column({ type: 'timestamptz', nullable: true }) settled_at: Date | null;
}
