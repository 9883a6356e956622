import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** Somebody who signs in. Memberships determine what they may do. */
@Entity({ schema: 'portal', name: 'user_account' })
@Index('user_account_email_key', ['email'], { unique: true })
export class UserAccount {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'user_account_pkey' }) id: string;
  /** In lower case. Null for the owner of a local installation, who signs in by link only. */
  @Column({ type: 'text', nullable: true }) email: string | null;
  @CreateDateColumn({ type: 'timestamptz' }) created_at: Date;
}
