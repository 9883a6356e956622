import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One thing that needs attention and of which nobody wants to hear for a time. */
@Entity({ schema: 'portal', name: 'attention_mute' })
export class AttentionMute {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'attention_mute_pkey' }) project_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'attention_mute_pkey' }) cause: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'timestamptz' }) muted_until: Date;
  @Column({ type: 'text' }) made_by: string;
}
