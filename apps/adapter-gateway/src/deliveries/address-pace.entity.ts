import { Entity, Column, PrimaryColumn } from 'typeorm';

/** When one address of an App may get its next message. */
@Entity({ schema: 'gateway', name: 'address_pace' })
export class AddressPaceRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'address_pace_pkey' }) app_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'address_pace_pkey' }) address_hash: string;
  @Column({ type: 'timestamptz' }) next_at: Date;
}
