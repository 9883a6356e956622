import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * Usage of one agent for one contact on one day (UTC); without an agent, that of the project itself, for embeddings of
 * its documents. `bigint` sums arrive as text.
 */
@Entity({ schema: 'engine', name: 'usage' })
@Index('usage_by_organization', ['organization_id', 'project_id', 'day'])
export class Usage {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'usage_pkey' }) project_id: string;
  @PrimaryColumn({ type: 'date', primaryKeyConstraintName: 'usage_pkey' }) day: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'usage_pkey' }) agent_id: string;
  /** Empty when the sender is no contact. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'usage_pkey' }) contact_id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'integer' }) model_calls: number;
  @Column({ type: 'integer' }) tool_calls: number;
  @Column({ type: 'bigint' }) input_tokens: string;
  @Column({ type: 'bigint' }) output_tokens: string;
  /** Millionths of the currency of MODEL_PRICES. */
  @Column({ type: 'bigint' }) cost_micros: string;
  /** The contact was informed that the budget of the day is spent. */
  @Column({ type: 'boolean', default: false }) budget_notice: boolean;
}

/** Usage of one model on one day (UTC) in a project. `bigint` sums arrive as text. */
@Entity({ schema: 'engine', name: 'model_usage' })
@Index('model_usage_by_organization', ['organization_id', 'project_id', 'day'])
export class ModelUsage {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'model_usage_pkey' }) project_id: string;
  @PrimaryColumn({ type: 'date', primaryKeyConstraintName: 'model_usage_pkey' }) day: string;
  /** The endpoint's name for it. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'model_usage_pkey' }) model: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'integer' }) model_calls: number;
  @Column({ type: 'bigint' }) input_tokens: string;
  @Column({ type: 'bigint' }) output_tokens: string;
  /** Millionths of the currency of MODEL_PRICES. */
  @Column({ type: 'bigint' }) cost_micros: string;
  /** Of voice notes that it transcribed. */
  @Column({ type: 'bigint', default: 0 }) audio_seconds: string;
}

/**
 * What a running turn may still use of its agent's day, besides what is counted in `usage`. That of a turn that does not
 * run counts for nothing. What is reserved for embeddings is of no turn, and counts until a time.
 */
@Entity({ schema: 'engine', name: 'budget_hold' })
@Index('budget_hold_by_agent', ['project_id', 'agent_id'])
export class BudgetHold {
  /** Or the id of a request for embeddings. */
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'budget_hold_pkey' }) turn_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) agent_id: string;
  /** Empty when the sender is no contact. */
  @Column({ type: 'text' }) contact_id: string;
  @Column({ type: 'bigint' }) tokens: string;
  @Column({ type: 'bigint' }) cost_micros: string;
  /** Null: while its turn runs. */
  @Column({ type: 'timestamptz', nullable: true }) until: Date | null;
}
