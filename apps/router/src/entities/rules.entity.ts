import type { WorkflowStep } from '#libs/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export type SessionScope = 'thread' | 'contact' | 'channel';
/** What happens to messages from unknown senders (not for the built-in Webhook app, spec 4.3). */
export type UnknownSenders = 'hold' | 'pair' | 'open' | 'drop';
/** `queue`: one turn per message. `collect`: messages that waited while a turn ran are answered in one. */
export type InboxMode = 'queue' | 'collect';

/**
 * Who gets a channel's messages: `both` the triggers and the Chief of Staff; or only one of them; or the Chief of Staff
 * gets what no trigger took (spec 4.1: triggers "instead of, or in addition to" it).
 */
export const routePolicies = ['both', 'triggers', 'chief_of_staff', 'chief_of_staff_unless_triggered'] as const;
export type RoutePolicy = (typeof routePolicies)[number];

/** What such a message reaches: only triggers, or the Chief of Staff too. */
export const machineReaches = ['triggers_only', 'chief_of_staff'] as const;
export type MachineReach = (typeof machineReaches)[number];

/** What the sender of a failed turn is shown unless the channel has a notice of its own. */
export const defaultFailureNotice = 'Sorry, your message could not be answered. It is stored, and our team can see it.';

/** Also the column's default: to change it takes a migration. */
export const defaultLimitNotice =
  'Sorry, your message was not answered. {limit} New messages are answered again from {until}.';

/** How an App's messages reach an agent, and where replies go. */
@Entity({ schema: 'router', name: 'channel' })
export class ChannelRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'channel_pkey' }) app_id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  /** Null: the project's Chief of Staff. */
  @Column({ type: 'text', nullable: true }) agent_id: string | null;
  @Column({ type: 'text', default: 'both' }) route_policy: RoutePolicy;
  /** Messages from other bots, as far as their adapter can tell (`metadata.from_bot`). */
  @Column({ type: 'text', default: 'triggers_only' }) bots: MachineReach;
  /** Automatic messages: auto-submitted, bounces, from mailing lists, notifications. */
  @Column({ type: 'text', default: 'triggers_only' }) automatic: MachineReach;
  /** Where replies go when the message names no address (for the built-in Webhook app: always). */
  @Column({ type: 'text', nullable: true }) reply_address: string | null;
  @Column({ type: 'text' }) session_scope: SessionScope;
  /** Null: `hold`. */
  @Column({ type: 'text', nullable: true }) unknown_senders: UnknownSenders | null;
  /** Null: `collect`, and `queue` for the built-in Webhook app. */
  @Column({ type: 'text', nullable: true }) inbox_mode: InboxMode | null;
  /** A session that was silent for this long starts over. Null: never. */
  @Column({ type: 'integer', nullable: true }) idle_reset_minutes: number | null;
  /** The hour (UTC) at which sessions start over. Null: none. */
  @Column({ type: 'integer', nullable: true }) daily_reset_hour: number | null;
  /** What the sender of a failed turn is shown. Null: nothing. */
  @Column({ type: 'text', nullable: true }) failure_notice: string | null;
  /** What a sender is shown whom a limit keeps from being answered, with `{limit}` and `{until}`. Null: nothing. */
  @Column({ type: 'text', nullable: true, default: defaultLimitNotice }) limit_notice: string | null;
  /** A reply that is not sent this long after it was written is not sent at all. Null: it is sent as long as it is tried. */
  @Column({ type: 'integer', nullable: true }) reply_ttl_seconds: number | null;
  @Column({ type: 'timestamptz' }) updated_at: Date;
}

/** Starts a workflow for the events of an App. */
@Entity({ schema: 'router', name: 'trigger' })
@Index('trigger_by_project', ['project_id', 'app_id'])
export class TriggerRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'trigger_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) app_id: string;
  @Column({ type: 'integer' }) workflow_id: number;
  /** Empty: every event of the App. */
  @Column({ type: 'jsonb' }) event_types: string[];
  /** A CEL expression over `event`, `contact`, `metadata` and `request`; null: every such event. */
  @Column({ type: 'text', nullable: true }) where: string | null;
  @Column({ type: 'integer', nullable: true }) limit_per_minute: number | null;
  @Column({ type: 'integer', nullable: true }) contact_limit_per_hour: number | null;
  /** The run waits until the sender has sent nothing more for this long … */
  @Column({ type: 'integer', nullable: true }) debounce_seconds: number | null;
  /** … but no longer than this. */
  @Column({ type: 'integer', nullable: true }) debounce_max_seconds: number | null;
  @Column({ type: 'boolean' }) active: boolean;
  @Column({ type: 'timestamptz' }) created_at: Date;
}

export type WorkflowStatus = 'active' | 'suspended' | 'off';

/** What a run does: an agent with instructions, or steps. The id is an integer, counted per project (spec 2.8). */
@Entity({ schema: 'router', name: 'workflow' })
export class WorkflowRow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'workflow_pkey' }) project_id: string;
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'workflow_pkey' }) id: number;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) name: string;
  /** Null: the project's Chief of Staff. */
  @Column({ type: 'text', nullable: true }) agent_id: string | null;
  @Column({ type: 'text' }) instructions: string;
  /** The JSON Schema that the output of its runs holds to; null: they have none. */
  @Column({ type: 'jsonb', nullable: true }) output_schema: object | null;
  /** What its runs do, in this order; null: the agent works on the message, and nothing else. */
  @Column({ type: 'jsonb', nullable: true }) steps: WorkflowStep[] | null;
  @Column({ type: 'text' }) status: WorkflowStatus;
  @Column({ type: 'timestamptz' }) created_at: Date;
  @Column({ type: 'timestamptz' }) updated_at: Date;
}
