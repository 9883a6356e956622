import { Column, Entity, PrimaryColumn } from 'typeorm';

export type SessionScope = 'thread' | 'contact' | 'channel';
/** What becomes of messages from somebody who is no known contact (not of the built-in Webhook app, spec 4.3). */
export type UnknownSenders = 'hold' | 'pair' | 'open' | 'drop';
/** `queue`: one turn for each message. `collect`: what waited while a turn ran is answered in one. */
export type InboxMode = 'queue' | 'collect';

/** What reaches besides triggers: nothing, or the Chief of Staff as well. */
export const machineReaches = ['triggers_only', 'chief_of_staff'] as const;
export type MachineReach = (typeof machineReaches)[number];

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
  /** Messages that other bots wrote, as far as their adapter can tell (`metadata.from_bot`). */
  @Column({ type: 'text', default: 'triggers_only' }) bots: MachineReach;
  /** Automatic messages: auto-submitted, bounces, of mailing lists, notifications. */
  @Column({ type: 'text', default: 'triggers_only' }) automatic: MachineReach;
  /** Where replies go when the message names no address (always, for the built-in Webhook app). */
  @Column({ type: 'text', nullable: true }) reply_address: string | null;
  @Column({ type: 'text' }) session_scope: SessionScope;
  /** Null: `hold`. */
  @Column({ type: 'text', nullable: true }) unknown_senders: UnknownSenders | null;
  /** Null: `collect`, and `queue` for the built-in Webhook app. */
  @Column({ type: 'text', nullable: true }) inbox_mode: InboxMode | null;
  /** A session that was silent for so long starts anew. Null: never. */
  @Column({ type: 'integer', nullable: true }) idle_reset_minutes: number | null;
  /** The hour (UTC) at which sessions start anew. Null: none. */
  @Column({ type: 'integer', nullable: true }) daily_reset_hour: number | null;
  /** What the sender of a failed turn is told. Null: nothing. */
  @Column({ type: 'text', nullable: true }) failure_notice: string | null;
  @Column({ type: 'timestamptz' }) updated_at: Date;
}
