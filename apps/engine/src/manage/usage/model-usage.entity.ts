import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

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
}
