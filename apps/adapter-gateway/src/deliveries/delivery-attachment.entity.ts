import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The bytes of a file of a delivery, until it has arrived. What is told of it stands in the delivery's content. */
@Entity({ schema: 'gateway', name: 'delivery_attachment' })
export class DeliveryAttachmentRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'delivery_attachment_pkey' }) delivery_id: string;
  /** Place in the message. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'delivery_attachment_pkey' }) seq: number;
  @Column({ type: 'bytea' }) content: Buffer;
}
