import type { AnswerRule } from '#libs/answer-rules';
import { WorkRow } from '#libs/work';
import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

export const sides = ['baseline', 'candidate'] as const;
export type Side = (typeof sides)[number];

/** What the judge model looks for, and which model it is. */
export interface Judge {
  criteria: string;
  /** Null: the default model. */
  model: string | null;
}

/** Two versions of an agent on the same messages. It has ended when each of its cases has. */
@Entity({ schema: 'engine', name: 'comparison' })
@Index('comparison_agent', ['agent_id', 'id'])
@Index('comparison_old', ['created_at'])
export class Comparison {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'comparison_pkey' }) id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  @Column({ type: 'text' }) agent_id: string;
  /** Versions of the agent. */
  @Column({ type: 'integer' }) baseline: number;
  @Column({ type: 'integer' }) candidate: number;
  /** Both answers of each case are checked by them. */
  @Column({ type: 'jsonb' }) rules: AnswerRule[];
  /** Null: no model judges. */
  @Column({ type: 'jsonb', nullable: true }) judge: Judge | null;
  /** No further case begins once its turns have used this many; null: no limit of its own. */
  @Column({ type: 'integer', nullable: true }) max_tokens: number | null;
  /** `key:<id>` or `user:<id>`. */
  @Column({ type: 'text' }) made_by: string;
  @Column({ type: 'text', nullable: true }) cancelled_by: string | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}

/** What the rules and the judge say of both answers. */
export interface CaseVerdict {
  /** For each rule, what is wrong with each answer; null: it holds. */
  rules: Record<Side, string | null>[];
  /** Null: no judge was asked, or it gave no verdict. */
  judge: { prefers: Side | 'tie'; why: string } | null;
  /** Why the judge gave no verdict; null: it did, or was not asked. */
  judge_error: string | null;
}

/**
 * One message on both versions. `waiting`: for a case before it to end. `done`: both turns have ended and are judged;
 * `dead`: it could not be compared, for its `reason`. The ids of its turns are decided with it, so each turn is stored
 * once however often the row is claimed.
 */
@Entity({ schema: 'engine', name: 'comparison_case' })
@Unique('comparison_case_position', ['comparison_id', 'position'])
@Index('comparison_case_due', ['due_at'], { where: `"state" IN ('queued', 'running')` })
export class ComparisonCase extends WorkRow<'waiting' | 'queued' | 'running' | 'done' | 'dead' | 'cancelled'> {
  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'comparison_case_pkey' }) id: string;
  @Column({ type: 'text' }) comparison_id: string;
  @Column({ type: 'text' }) organization_id: string;
  @Column({ type: 'text' }) project_id: string;
  /** From 1. */
  @Column({ type: 'integer' }) position: number;
  /** Whose message is asked again, and whose calls answer. */
  @Column({ type: 'text' }) source_turn_id: string;
  @Column({ type: 'text' }) baseline_turn_id: string;
  @Column({ type: 'text' }) candidate_turn_id: string;
  @Column({ type: 'text' }) judge_turn_id: string;
  /** Null until it is done. */
  @Column({ type: 'jsonb', nullable: true }) verdict: CaseVerdict | null;
  @Column({ type: 'timestamptz', default: () => 'now()' }) created_at: Date;
}
