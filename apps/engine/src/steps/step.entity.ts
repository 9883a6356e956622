import { Column, Entity, PrimaryColumn } from 'typeorm';

export const stepKinds = ['model_call', 'tool_call', 'tool_result', 'shortened'] as const;
export type StepKind = (typeof stepKinds)[number];

/**
 * One thing that a turn did. `shortened`: the model is shown less from here on. A `tool_call` without its `tool_result`
 * is a call with an unknown outcome. The reply is stored in the turn.
 */
@Entity({ schema: 'engine', name: 'step' })
export class Step {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'step_pkey' }) turn_id: string;
  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'step_pkey' }) seq: number;
  @Column({ type: 'text' }) kind: StepKind;
  @Column({ type: 'jsonb' }) content: Record<string, unknown>;
  @Column({ type: 'integer', nullable: true }) tokens: number | null;
  @Column({ type: 'double precision', nullable: true }) duration_ms: number | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}
