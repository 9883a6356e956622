import { Column, Entity, PrimaryColumn } from 'typeorm';

/** How much a model takes, as it was learned when it refused a conversation. */
@Entity({ schema: 'engine', name: 'model_window' })
export class ModelWindow {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'model_window_pkey' }) project_id: string;
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'model_window_pkey' }) model: string;
  /** Characters of a request. */
  @Column({ type: 'integer' }) chars: number;
  @Column({ type: 'timestamptz', default: () => 'now()' }) learned_at: Date;
}
