import { Column, Entity, PrimaryColumn } from 'typeorm';

export type SessionScope = 'thread' | 'sender' | 'channel';

/** How the messages of an App reach an agent, and where replies go. */
@Entity({ schema: 'router', name: 'channel' })
export class ChannelRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'channel_pkey' }) app_id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  /** Null: the project's Chief of Staff. */
  @Column({ type: 'text', nullable: true }) agent_id: string | null;
  @Column({ type: 'boolean' }) chief_of_staff: boolean;
  @Column({ type: 'boolean' }) triggers: boolean;
  /** Where replies go when the message names no address (always, for the built-in Webhook app). */
  @Column({ type: 'text', nullable: true }) reply_address: string | null;
  @Column({ type: 'text' }) session_scope: SessionScope;
  @Column({ type: 'timestamptz' }) updated_at: Date;
}
