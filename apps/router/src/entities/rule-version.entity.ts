import { Column, Entity, PrimaryColumn } from 'typeorm';

export const ruleKinds = ['workflow', 'trigger', 'channel'] as const;
export type RuleKind = (typeof ruleKinds)[number];

/** What people decide of each: what a version of it holds. */
export const ruleFields = {
  workflow: ['name', 'agent_id', 'instructions', 'output_schema', 'steps', 'status'],
  trigger: [
    'app_id',
    'workflow_id',
    'event_types',
    'where',
    'limit_per_minute',
    'contact_limit_per_hour',
    'debounce_seconds',
    'debounce_max_seconds',
    'active',
  ],
  channel: [
    'agent_id',
    'route_policy',
    'bots',
    'automatic',
    'reply_address',
    'session_scope',
    'unknown_senders',
    'inbox_mode',
    'idle_reset_minutes',
    'daily_reset_hour',
    'failure_notice',
    'limit_notice',
    'reply_ttl_seconds',
  ],
} as const satisfies Record<RuleKind, string[]>;

export type RuleFields = Record<string, unknown>;

/** A workflow, a trigger or a channel as it was after a change. The newest version is how it is; none ever changes. */
@Entity({ schema: 'router', name: 'rule_version' })
export class RuleVersion {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'rule_version_pkey' }) project_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'rule_version_pkey' }) kind: RuleKind;
  /** The number of a workflow; the id of a trigger; the id of a channel's App. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'rule_version_pkey' }) subject: string;
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'rule_version_pkey' }) version: number;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'jsonb' }) fields: RuleFields;
  /** The earlier version that it brought back; null: it is a change. */
  @Column({ type: 'integer', nullable: true }) restored_from: number | null;
  /** `key:<id>` or `user:<id>`; null: it is not known who, or these are the defaults. */
  @Column({ type: 'text', nullable: true }) made_by: string | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}
