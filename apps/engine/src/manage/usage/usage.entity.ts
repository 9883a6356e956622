import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Usage of one agent for one contact on one day (UTC). `bigint` sums arrive as text. */
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
