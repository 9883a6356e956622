import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One part of a split message. All parts are stored before the first is sent, so every attempt sends the same. */
@Entity({ schema: 'gateway', name: 'delivery_part' })
export class DeliveryPartRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'delivery_part_pkey' }) delivery_id: string;
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'delivery_part_pkey' }) seq: number;
  @Column({ type: 'text' }) text: string;
  @Column({ type: 'text' }) format: string;
}
