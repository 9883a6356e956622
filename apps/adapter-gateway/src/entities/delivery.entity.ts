import { type OutboundContent, type StoredReplyTarget, storedReplyTarget, wholeReplyTarget } from '#libs/contracts';
import type { EntryInRow } from '#libs/journal';
import { openSuspect, WorkRow } from '#libs/work';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export type DeliveryState = 'queued' | 'sending' | 'delivered' | 'dead' | 'unknown' | 'expired';

/** In the order in which one replaces another: statuses come late, twice, and in any order. */
export const providerStatuses = ['queued', 'sent', 'delivered', 'read', 'failed'] as const;
export type ProviderStatus = (typeof providerStatuses)[number];

/** One reply on its way out. `blocked_since`: since when all its attempts have failed. */
@Entity({ schema: 'gateway', name: 'delivery' })
@Index('delivery_by_project', ['project_id', 'id'])
@Index('delivery_by_receipt', ['receipt_id'], { where: 'entry IS NOT NULL' })
@Index('delivery_arrived', ['ended_at'], { where: 'entry IS NOT NULL' })
@Index('delivery_idempotency_key', ['project_id', 'app_id', 'idempotency_key'], { unique: true })
@Index('delivery_suspect', ['due_at'], { where: openSuspect })
@Index('delivery_by_provider', ['app_id', 'provider_message_id'], { where: `"provider_message_id" <> "id"` })
@Index('delivery_due', ['due_at'], { where: `"state" IN ('queued', 'sending')` })
@Index('delivery_waiting', ['project_id', 'app_id'], { where: `"state" = 'queued' AND "reason" IS NOT NULL` })
export class DeliveryRow extends WorkRow<DeliveryState> {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'delivery_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) app_id: string;
  @Column({ type: 'text' }) receipt_id: string;
  @Column({ type: 'text', nullable: true }) turn_id: string | null;
  @Column({ type: 'jsonb' }) content: OutboundContent;
  /** Parts that the provider already has; a retry continues after them. */
  @Column({ type: 'integer' }) from_part: number;
  /** Parts that the gateway splits it into. Null: it is sent whole, or the adapter splits it. */
  @Column({ type: 'integer', nullable: true }) parts: number | null;
  /** Characters of the text that were cut, over DELIVERY_MAX_PARTS. */
  @Column({ type: 'integer', default: 0 }) cut_chars: number;
  /** The new address that the provider named: attempts go there instead. */
  @Column({ type: 'text', nullable: true }) moved_to: string | null;
  /** Of the last attempt, beside its `reason`. */
  @Column({ type: 'text', nullable: true }) error_detail: string | null;
  /** Of a delivered one null: its own id, since nobody named another. Read as `wholeDelivery` or `providerIdSql` has it. */
  @Column({ type: 'text', nullable: true }) provider_message_id: string | null;
  /** What the provider says became of it after that: `queued`, `sent`, `delivered`, `read`, `failed`. */
  @Column({ type: 'text', nullable: true }) provider_status: string | null;
  /** Why it failed, in the provider's words. */
  @Column({ type: 'text', nullable: true }) provider_status_detail: string | null;
  @Column({ type: 'timestamptz', nullable: true }) provider_status_at: Date | null;
  /** The caller's own key, if a service requested the delivery by call. */
  @Column({ type: 'text', nullable: true }) idempotency_key: string | null;
  @Column({ type: 'timestamptz' }) created_at: Date;
  /** When it was created or last redriven; its maximum age counts from here. */
  @Column({ type: 'timestamptz', default: () => 'now()' }) open_since: Date;
  /** Its entry in the timeline: that it arrived. Null: it has not, or the journal has it. */
  @Column({ type: 'json', nullable: true }) entry: EntryInRow | null;
}

type StoredContent = Omit<OutboundContent, 'target'> & { target: StoredReplyTarget };

/** What the row of a turn's delivery keeps of what is to be sent. Its App is that of the target. */
export function storedContent({ target, ...content }: OutboundContent): StoredContent {
  return { ...content, target: storedReplyTarget(target, target.app_id) };
}

type Repeated = 'id' | 'app_id' | 'state' | 'content' | 'provider_message_id';

/** A delivery with what its row leaves out, since another column says it or it is null. */
export function wholeDelivery<T extends Pick<DeliveryRow, Repeated>>(row: T): T {
  const { content, provider_message_id: named } = row;
  return {
    ...row,
    content: { ...content, target: wholeReplyTarget(content.target, row.app_id) },
    provider_message_id: named ?? (row.state === 'delivered' ? row.id : null),
  };
}

/** SQL: what `wholeDelivery` has as the id of the provider. @param row its alias in the statement */
export const providerIdSql = (row: string): string =>
  `coalesce(${row}.provider_message_id, CASE ${row}.state WHEN 'delivered' THEN ${row}.id END)`;

/** The bytes of a delivery's file, kept until it has arrived. Its name, type, size and hash are in the content. */
@Entity({ schema: 'gateway', name: 'delivery_attachment' })
export class DeliveryAttachmentRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'delivery_attachment_pkey' }) delivery_id: string;
  /** Position in the message. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'delivery_attachment_pkey' }) seq: number;
  @Column({ type: 'bytea' }) content: Buffer;
}

/** One part of a split message. All parts are stored before the first is sent, so every attempt sends the same. */
@Entity({ schema: 'gateway', name: 'delivery_part' })
export class DeliveryPartRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'delivery_part_pkey' }) delivery_id: string;
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'delivery_part_pkey' }) seq: number;
  @Column({ type: 'text' }) text: string;
  @Column({ type: 'text' }) format: string;
}

/** When one address of an App may get its next message. */
@Entity({ schema: 'gateway', name: 'address_pace' })
export class AddressPaceRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'address_pace_pkey' }) app_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'address_pace_pkey' }) address_hash: string;
  @Column({ type: 'timestamptz' }) next_at: Date;
}

/** A choice of a message whose channel has no buttons, under the number that the reader was shown. */
@Entity({ schema: 'gateway', name: 'offered_choice' })
@Index('offered_choice_address', ['app_id', 'address_hash', 'offered_at'])
@Index('offered_choice_age', ['offered_at'])
export class OfferedChoice {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'offered_choice_pkey' }) delivery_id: string;
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'offered_choice_pkey' }) number: number;
  @Column({ type: 'text' }) app_id: string;
  @Column({ type: 'text' }) address_hash: string;
  /** The only sender whose answer counts; null: any. */
  @Column({ type: 'text', nullable: true }) answerer: string | null;
  @Column({ type: 'text' }) action_id: string;
  @Column({ type: 'text' }) label: string;
  @Column({ type: 'text' }) value: string;
  /** The receipt that answered its message; no other one may. */
  @Column({ type: 'text', nullable: true }) answered_by: string | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) offered_at: Date;
}
