import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A choice of a message whose channel has no buttons, under the number that the reader was told. */
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
