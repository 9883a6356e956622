import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The bytes of a delivery's file, kept until it has arrived. Its name, type, size and hash are in the content. */
@Entity({ schema: 'gateway', name: 'delivery_attachment' })
export class DeliveryAttachmentRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'delivery_attachment_pkey' }) delivery_id: string;
  /** Position in the message. */
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'delivery_attachment_pkey' }) seq: number;
  @Column({ type: 'bytea' }) content: Buffer;
}
